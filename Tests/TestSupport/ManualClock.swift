public import Primitives

/// A clock that moves only when a test says so.
///
/// `advance(by:)` wakes, in order of deadline, every sleeper whose time has come.
/// `waitForSleepers(_:)` lets a test wait until the code under test has gone to sleep, by event and not by time.
public final class ManualClock: Clock, Sendable {
    public struct Instant: InstantProtocol {
        public var offset: Duration
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// The watchers whose condition holds now; the caller resumes them after leaving the lock.
        mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.count <= sleepers.count }.map(\.continuation)
            watchers.removeAll { $0.count <= sleepers.count }
            return satisfied
        }
    }

    private let state = Locked(State())
    /// The wall-clock time at offset zero.
    private let epoch: Timestamp

    public init(epoch: Timestamp = Timestamp(millisecondsSinceEpoch: 1_700_000_000_000)) {
        self.epoch = epoch
    }

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Readings of this clock, for code that does not wait.
    public var timeSource: TimeSource {
        TimeSource(
            monotonic: { self.now.offset },
            wall: {
                let (seconds, attoseconds) = self.now.offset.components
                return Timestamp(
                    millisecondsSinceEpoch: self.epoch.millisecondsSinceEpoch + seconds * 1_000
                        + attoseconds / 1_000_000_000_000_000)
            })
    }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let (resumeNow, satisfied) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.remove(id) != nil {
                        return (.failure(CancellationError()), [])
                    }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers.append(
                        Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return (nil, state.takeSatisfiedWatchers())
                }
                if let resumeNow { continuation.resume(with: resumeNow) }
                for watcher in satisfied { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now.offset += duration
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Returns once at least `count` tasks sleep on this clock.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let satisfied = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.takeSatisfiedWatchers()
            }
            for watcher in satisfied { watcher.resume() }
        }
    }
}
