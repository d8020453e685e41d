import Jobs
import Primitives

/// Watches what an engine says and notes every breach of the acceptance rule, by what was said alone.
final class RuleObserver: JobEventSink {
    private struct SeenRun {
        var lastSeq = 0
        var progress = -1
        var isAskedToStop = false
        var terminal: JobEvent.Payload?
        var hasEnded = false
    }

    private struct State {
        /// By ordinal.
        var runs: [UniqueID: [Int: SeenRun]] = [:]
        var current: [UniqueID: Int] = [:]
        var results: [UniqueID: JSONValue] = [:]
        var breaches: [String] = []
    }

    private let state = Locked(State())

    var breaches: [String] { state.withLock { $0.breaches } }
    /// Of the runs that succeeded, by their IDs.
    var results: [UniqueID: JSONValue] { state.withLock { $0.results } }
    var runCount: Int { state.withLock { state in state.runs.values.reduce(0) { $0 + $1.count } } }
    var endedCount: Int {
        state.withLock { state in state.runs.values.reduce(0) { $0 + $1.values.count { $0.hasEnded } } }
    }

    func emit(_ event: JobEvent) {
        state.withLock { state in
            var run = state.runs[event.jobID]?[event.ordinal] ?? SeenRun()
            let current = state.current[event.jobID] ?? 1
            for breach in breaches(by: event, run, current: current) {
                state.breaches.append("\(event.jobID) \(event.ordinal)-\(event.seq) \(event.payload): \(breach)")
            }
            run.lastSeq = event.seq
            switch event.payload {
            case .progress(let progress): run.progress = progress.current
            case .cancelRequested: run.isAskedToStop = true
            case .succeeded(let result):
                run.terminal = event.payload
                state.results[event.runID] = result
            case .failed, .cancelled, .timedOut, .lost: run.terminal = event.payload
            case .end: run.hasEnded = true
            case .queued, .started: break
            }
            state.runs[event.jobID, default: [:]][event.ordinal] = run
        }
    }

    private func breaches(by event: JobEvent, _ run: SeenRun, current: Int) -> [String] {
        var breaches: [String] = []
        if event.seq != run.lastSeq + 1 { breaches.append("after \(run.lastSeq)") }
        if run.hasEnded { breaches.append("after end") }
        if run.terminal != nil, event.payload != .end { breaches.append("after a terminal event") }
        switch event.payload {
        case .queued: break
        case .started, .progress, .succeeded, .failed:
            if event.ordinal != current { breaches.append("while \(current) is current") }
            if run.isAskedToStop { breaches.append("after it was asked to stop") }
        case .cancelRequested:
            if event.ordinal < current { breaches.append("of an older run") }
        case .cancelled, .timedOut, .lost: break
        case .end:
            if run.terminal == nil { breaches.append("without a terminal event") }
        }
        if case .progress(let progress) = event.payload, progress.current <= run.progress {
            breaches.append("after \(run.progress)")
        }
        return breaches
    }

    func currentRunChanged(jobID: UniqueID, ordinal: Int) {
        state.withLock { state in
            let current = state.current[jobID] ?? 1
            if ordinal <= current { state.breaches.append("\(jobID): \(ordinal) became current after \(current)") }
            state.current[jobID] = ordinal
        }
    }

    func runEvicted(jobID: UniqueID, runID: UniqueID) {}
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {}
}
