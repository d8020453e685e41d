import Primitives

extension EngineCore {
    /// What may be decided now: all of it, once the runs that were left unfinished are decided on.
    func afterRecovery(_ arrived: [JobCommand]) -> [JobCommand] {
        switch recovery {
        case .done:
            return arrived
        case .unrecorded:
            return recover(before: arrived)
        case .awaited(let held):
            let batch = held + arrived
            if batch.contains(where: { if case .recover = $0 { true } else { false } }) {
                return recover(before: batch)
            }
            if batch.contains(where: { if case .shutDown = $0 { true } else { false } }) {
                // What was left unfinished is left to the next process.
                turnAway(batch, .stopped)
            } else {
                recovery = .awaited(held: batch)
            }
            return []
        }
    }

    private func recover(before batch: [JobCommand]) -> [JobCommand] {
        var recovered = JobRecovery()
        let waiting = book.metrics.queuedRuns
        let failure = transaction {
            book.recover(at: moment) { [kinds] kind, input in
                do throws(JobError) {
                    return .success(try kinds.prepare(kind: kind, input))
                } catch {
                    return .failure(UnstartableRun(error))
                }
            }
            for case .job(_, .emit(let event)) in book.effects { recovered.count(event) }
            recovered.queued = waiting - recovered.failed
            return []
        }
        if let failure {
            recovery = .unrecorded
            turnAway(batch, .unavailable(failure))
            planRetry()
            return []
        }
        recovery = .done
        startDropping()
        return batch.filter { command in
            guard case .recover(let reply) = command else { return true }
            reply(recovered)
            return false
        }
    }

    /// Answers what can't be decided now. Nothing runs, so that no worker or timer can have said anything.
    private func turnAway(_ batch: [JobCommand], _ error: JobError) {
        for command in batch {
            switch command {
            case .recover(let reply): reply(JobRecovery(failure: error.underlying))
            case .start(_, let reply): reply(.failure(error))
            case .cancel(_, let reply): reply(.failure(error))
            case .wait(let waiter): waiters.add(waiter) { book.jobs[$0] }
            case .waitEnded(let id): waiters.end(id)
            case .shutDown(_, let reply):
                book.beginShutdown()
                shutdownCallers.append(reply)
            case .retry: plannedRetry = nil
            case .progress, .workerReturned, .timedOut, .dropExpired, .abandonWorkers: break
            }
        }
    }
}
