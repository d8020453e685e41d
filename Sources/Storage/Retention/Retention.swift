import Primitives
import SQLite

/// Keeps the store within its policy: a thread of its own, which deletes in pieces, so that nobody waits long for the
/// journal meanwhile.
final class Retention: Sendable {
    private let wishes = BlockingQueue<Wish>()
    private let isStopping = Locked(false)
    private let crowded: CrowdedTopics
    private let thread: OwnThread
    private let timer: Task<Void, Never>

    private enum Wish: Sendable {
        case sweep
        /// With whom to tell that it is over.
        case sweepNow(@Sendable () -> Void)
    }

    init(
        _ policy: StoreRetention, path: String, gate: JournalGate, observer: any RetentionObserver, time: TimeSource,
        clock: any Clock<Duration>
    ) {
        let crowded = CrowdedTopics(policy)
        self.crowded = crowded
        thread = OwnThread(name: "retention") { [wishes, isStopping] in
            var sweeper = Sweeper(
                policy, path: path, gate: gate, observer: observer, time: time, crowded: crowded,
                isStopping: { isStopping.withLock { $0 } })
            while let wish = wishes.take() {
                if !isStopping.withLock({ $0 }) { sweeper.sweep() }
                if case .sweepNow(let done) = wish { done() }
            }
        }
        timer = Task { [wishes] in
            while (try? await clock.sleep(for: policy.interval)) != nil { wishes.putIfEmpty(.sweep) }
        }
    }

    /// Looks at what a commit has changed. Never blocks.
    func committed(_ commit: CommitReport) {
        if crowded.add(commit) { wishes.putIfEmpty(.sweep) }
    }

    /// Has all bounds looked at now, and waits until they are kept or can't be.
    func sweep() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if !wishes.put(.sweepNow { continuation.resume() }) { continuation.resume() }
        }
    }

    /// Waits for the piece that is being deleted.
    func stop() {
        timer.cancel()
        isStopping.withLock { $0 = true }
        wishes.close()
        thread.join()
    }
}
