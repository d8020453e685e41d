import Primitives

extension EngineCore {
    /// Decides on one command. May be called again for a command whose decision was not recorded: what can't be taken
    /// back is either done but once, or belongs in the answer.
    /// - Returns: called once, when it is known whether the decision is recorded.
    func decide(_ command: JobCommand, at moment: Moment) -> Answer? {
        switch command {
        case .recover(let reply):
            // There was nothing to recover, or it has been done.
            return { [self] _ in
                reply(JobRecovery())
                startDropping()
            }
        case .start(let start, let reply):
            let result = Result { () throws(JobError) in try book.start(start, at: moment) }
            return { reply($0.map { .failure(.unavailable($0)) } ?? result) }
        case .cancel(let request, let reply):
            let result = Result { () throws(JobError) in try book.cancel(request, at: moment) }
            return { reply($0.map { .failure(.unavailable($0)) } ?? result) }
        case .progress(let jobID, let runID, let slot):
            if let progress = slot.take() { book.progress(jobID, runID, progress, at: moment) }
        case .workerReturned(let jobID, let runID, let outcome, let lastProgress):
            workers.returned(runID)
            book.workerReturned(runID)
            book.runFinished(jobID, runID, outcome, lastProgress: lastProgress, at: moment)
        case .timedOut(let jobID, let runID):
            timeouts[runID] = nil
            book.timedOut(jobID, runID, at: moment)
        case .wait(let waiter):
            // Looks at the job as it is recorded, so only after the commit.
            return { [self] _ in waiters.add(waiter) { book.jobs[$0] } }
        case .waitEnded(let id):
            // In its place behind the wait, which may be in the same batch.
            return { [self] _ in waiters.end(id) }
        case .dropExpired(let serial):
            let reached = book.dropExpired(behind: serial, at: moment)
            return { [self] failure in
                // As a command of its own, so that whoever waits is served in between.
                if failure == nil, let reached { post(.dropExpired(behind: reached)) } else { isDropPlanned = false }
            }
        case .retry:
            break
        case .shutDown(let bound, let reply):
            book.beginShutdown()
            book.cancelAllForShutdown(at: moment)
            // Whether or not this is recorded.
            workers.cancelAll()
            return { [self] _ in
                shutdownCallers.append(reply)
                shutdownTimers.append(after(bound, .abandonWorkers))
            }
        case .abandonWorkers:
            book.abandonRuns(at: moment)
            isAbandoned = true
        }
        return nil
    }
}
