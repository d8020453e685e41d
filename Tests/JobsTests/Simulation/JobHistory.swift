import Jobs
import Primitives

/// Reads what is recorded, commit by commit, over the lives of any number of processes, and knows the acceptance rule on
/// its own: all it believes are the events and their order.
struct JobHistory {
    struct SeenRun {
        var ordinal = 0
        var lastSeq = 0
        var isStarted = false
        /// A request to stop was recorded.
        var stop: CancelReason?
        var terminal: JobEvent.Payload?
        var hasEnded = false
        var progress = 0
        var timesQueued = 0

        var isLive: Bool { isStarted && stop == nil && terminal == nil }
        var isWaiting: Bool { !isStarted && terminal == nil }
    }

    private struct SeenJob {
        let kind: String
        var current = 0
        var newest = 0
    }

    private var jobs: [UniqueID: SeenJob] = [:]
    /// Kept for good.
    private(set) var runs: [UniqueID: SeenRun] = [:]
    private let restartingKinds: Set<String>
    private let missingKinds: Set<String>

    init(restartingKinds: Set<String>, missingKinds: Set<String>) {
        (self.restartingKinds, self.missingKinds) = (restartingKinds, missingKinds)
    }

    /// The rules that a commit broke.
    mutating func observe(_ commit: [JobRecordChange]) -> [String] {
        var broken: [String] = []
        for change in commit {
            switch change {
            case .jobCreated(let job, _): jobs[job.id] = SeenJob(kind: job.kind)
            case .currentRunChanged(let jobID, _, let ordinal):
                if ordinal <= jobs[jobID]?.current ?? 0 { broken.append("run \(ordinal) became current again") }
                jobs[jobID]?.current = ordinal
            case .eventAppended(let event): broken += see(event)
            case .jobEvicted(let jobID, let runIDs):
                if runIDs.contains(where: { runs[$0]?.hasEnded != true }) { broken.append("dropped a job under way") }
                jobs[jobID] = nil
            case .runEvicted(let jobID, let runID):
                if runs[runID]?.hasEnded != true || runs[runID]?.ordinal == jobs[jobID]?.current {
                    broken.append("dropped a run that counts")
                }
            case .runChanged, .versionChanged, .keyRemembered: break
            }
        }
        for case .runChanged(_, let run) in commit { broken += check(run, in: commit) }
        return broken
    }

    private mutating func see(_ event: JobEvent) -> [String] {
        guard var job = jobs[event.jobID] else { return ["\(event) of no job"] }
        var seen = runs[event.runID] ?? SeenRun(ordinal: event.ordinal)
        var broken: [String] = []
        func check(_ isFine: Bool, _ complaint: String) {
            if !isFine { broken.append("run \(event.ordinal) of a \(job.kind), \(event.payload): \(complaint)") }
        }
        check(event.seq == seen.lastSeq + 1, "seq \(event.seq) after \(seen.lastSeq)")
        check(!seen.hasEnded, "after end")
        check(seen.terminal == nil || event.payload == .end, "after a terminal event")
        seen.lastSeq = event.seq
        let isCurrent = event.ordinal == job.current
        switch event.payload {
        case .queued where event.seq == 1:
            check(event.ordinal == job.newest + 1, "after run \(job.newest)")
            job.newest = event.ordinal
            if job.current == 0 { job.current = event.ordinal }
            seen.timesQueued = 1
        case .queued:
            check(restartingKinds.contains(job.kind) && isCurrent && seen.isLive, "queued again")
            (seen.isStarted, seen.progress) = (false, 0)
            seen.timesQueued += 1
        case .started:
            check(isCurrent && seen.isWaiting, "started")
            seen.isStarted = true
        case .progress(let progress):
            check(isCurrent && seen.isLive && progress.current >= seen.progress, "not to be believed")
            seen.progress = progress.current
        case .succeeded: check(isCurrent && seen.isLive, "not to be believed")
        case .failed(let problem):
            let isUnstartable = missingKinds.contains(job.kind) && problem.code == "unknownKind" && seen.isWaiting
            check(isUnstartable || isCurrent && seen.isLive, "not to be believed")
        case .cancelRequested(let reason):
            check(event.ordinal >= job.current && seen.isLive, "too late")
            seen.stop = reason
        case .cancelled(let reason):
            check(seen.isWaiting || seen.stop == reason && reason.cause != .timeout, "stopped by \(seen.stop as Any)")
        case .timedOut: check(seen.stop?.cause == .timeout, "stopped by \(seen.stop as Any)")
        case .lost: check(seen.isLive && !restartingKinds.contains(job.kind), "not lost")
        case .end:
            check(seen.terminal != nil, "without a terminal event")
            seen.hasEnded = true
        }
        if event.payload.isTerminal { seen.terminal = event.payload }
        (runs[event.runID], jobs[event.jobID]) = (seen, job)
        return broken
    }

    /// Whether the record of a run is what its events say. Only its last one in a commit has to be, if it is kept.
    private func check(_ run: Run, in commit: [JobRecordChange]) -> [String] {
        let isDropped = commit.contains { change in
            switch change {
            case .runEvicted(_, let runID): runID == run.id
            case .jobEvicted(_, let runIDs): runIDs.contains(run.id)
            default: false
            }
        }
        if isDropped { return [] }
        let newest = commit.last { if case .runChanged(_, let other) = $0 { other.id == run.id } else { false } }
        guard case .runChanged(_, run) = newest, let seen = runs[run.id] else { return [] }
        let state: RunState =
            switch seen.terminal {
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .lost: .lost
            default: seen.isStarted ? (seen.stop == nil ? .running : .cancelling) : .queued
            }
        let result: JSONValue? = if case .succeeded(let value) = seen.terminal { value } else { nil }
        return run.state == state && run.lastSeq == seen.lastSeq && run.result == result
            && run.state.isTerminal == seen.hasEnded ? [] : ["recorded \(run), but events say \(seen)"]
    }
}

extension JobEvent.Payload {
    var isTerminal: Bool {
        switch self {
        case .succeeded, .failed, .cancelled, .timedOut, .lost: true
        case .queued, .started, .progress, .cancelRequested, .end: false
        }
    }
}
