import Primitives

extension JobBook {
    /// There are runs that were not over when the process before this one ended.
    var hasUnfinishedRuns: Bool { jobs.values.contains { !$0.job.isSettled } }

    /// Decides on the runs that were not over when the process before this one ended: running ones are `lost`, or queued
    /// again where their kind says so, those that were asked to stop have stopped, queued ones wait again, in the order
    /// in which they were first queued.
    /// - Parameter work: what a run is to do, or why that can't be had any more; the run fails then.
    mutating func recover(
        at moment: Moment,
        work: (_ kind: String, _ input: JSONValue) -> Result<KindRegistry.PreparedWork, UnstartableRun>
    ) {
        let reason =
            "The server stopped while the run was under way. It found this at \(moment.wall), when it was back."
        var waiting: [(run: Run, entry: QueueEntry)] = []
        for entry in order.entries {
            guard let job = jobs[entry.id]?.job, !job.isSettled else { continue }
            let requeues = restarts(entry.id)
            change(entry.id) { $0.interrupted(reason: reason, requeues: requeues, at: moment.wall) }
            for run in jobs[entry.id]?.runs ?? [] where run.state == .queued {
                switch work(job.kind, run.input) {
                case .success(let work): then(.keepWork(runID: run.id, work))
                case .failure(let error):
                    change(entry.id) { $0.unstartable(run.id, error.problem, at: moment.wall) }
                }
            }
            if let run = jobs[entry.id]?.job.currentRun, run.state == .queued {
                waiting.append((run, QueueEntry(jobID: entry.id, runID: run.id)))
            }
        }
        // Stable: of runs queued in the same millisecond those of older jobs go first.
        waiting.sort { $0.run.createdAt < $1.run.createdAt }
        queue = waiting.map(\.entry)
        dispatchQueued(at: moment)
    }
}

/// A run was queued, and can't be started any more.
struct UnstartableRun: Error {
    let problem: RunProblem

    init(_ error: JobError) {
        problem = RunProblem(
            code: error.code.rawValue,
            message: "The run waited while the server was away, and can't be started any more: \(error.message)")
    }
}
