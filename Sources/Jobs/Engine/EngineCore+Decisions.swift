import Primitives

extension EngineCore {
    /// Decides on one command; `answers` are called once it is known whether that was recorded.
    func decide(_ command: JobCommand, at moment: Moment, _ answers: inout [Answer]) {
        switch command {
        case .recover(let reply):
            // There was nothing to recover, or it has been done.
            answers.append { [self] _ in
                reply(JobRecovery())
                startDropping()
            }
        case .start(let start, let reply):
            let result = Result { () throws(JobError) in try book.start(start, at: moment) }
            answers.append { reply($0.map { .failure(.unavailable($0)) } ?? result) }
        case .cancel(let request, let reply):
            let result = Result { () throws(JobError) in try book.cancel(request, at: moment) }
            answers.append { reply($0.map { .failure(.unavailable($0)) } ?? result) }
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
            answers.append { [self] _ in waiters.add(waiter) { book.jobs[$0] } }
        case .waitEnded(let id):
            // In its place behind the wait, which may be in the same batch.
            answers.append { [self] _ in waiters.end(id) }
        case .dropExpired(let serial):
            let reached = book.dropExpired(behind: serial, at: moment)
            answers.append { [self] failure in
                // As a command of its own, so that whoever waits is served in between.
                if failure == nil, let reached { post(.dropExpired(behind: reached)) } else { isDropPlanned = false }
            }
        case .retry:
            break
        case .shutDown(let bound, let reply):
            shutdownCallers.append(reply)
            shutdownTimers.append(after(bound, .abandonWorkers))
            book.beginShutdown()
            book.cancelAllForShutdown(at: moment)
            // Whether or not this is recorded.
            workers.cancelAll()
        case .abandonWorkers:
            book.abandonRuns(at: moment)
            isAbandoned = true
        }
    }
}
