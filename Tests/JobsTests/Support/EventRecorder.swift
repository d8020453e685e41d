import Jobs
import Primitives

/// A sink that keeps what it was told, in short, and lets tests wait for it.
final class EventRecorder: JobEventSink {
    private struct State {
        var events: [JobEvent] = []
        var lines: [String] = []
        var waiters: [(line: String, continuation: CheckedContinuation<Void, Never>)] = []
        var onEvent: (@Sendable (JobEvent) -> Void)?
    }

    private let state = Locked(State())

    var events: [JobEvent] { state.withLock { $0.events } }
    var lines: [String] { state.withLock { $0.lines } }
    /// Called on the engine's thread. Nil ends it; what it captures is kept until then.
    func onEvent(_ body: (@Sendable (JobEvent) -> Void)?) { state.withLock { $0.onEvent = body } }

    func lines(of jobID: UniqueID) -> [String] {
        events.filter { $0.jobID == jobID }.map { "\($0.ordinal)-\($0.seq) \($0.payload.name)" }
    }

    /// Returns once the line was recorded, such as `1-2 started`.
    func wait(for line: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.lines.contains(line) { return true }
                state.waiters.append((line, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func record(_ line: String, _ event: JobEvent? = nil) {
        let (waiters, onEvent) = state.withLock { state in
            state.lines.append(line)
            if let event { state.events.append(event) }
            defer { state.waiters.removeAll { $0.line == line } }
            return (state.waiters.filter { $0.line == line }.map(\.continuation), state.onEvent)
        }
        if let event { onEvent?(event) }
        for waiter in waiters { waiter.resume() }
    }

    func emit(_ event: JobEvent) { record("\(event.ordinal)-\(event.seq) \(event.payload.name)", event) }
    func currentRunChanged(jobID: UniqueID, ordinal: Int) { record("current \(ordinal)") }
    func runEvicted(jobID: UniqueID, runID: UniqueID) { record("runEvicted") }
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) { record("jobEvicted \(runIDs.count)") }
}
