public import Primitives

extension Job {
    /// The process that ran the workers is gone, or gives up waiting for them. A run that was already asked to stop has
    /// stopped; a running one is `lost`, or with `requeues` waits in the queue again. What is queued stays queued.
    public mutating func interrupted(reason: String, requeues: Bool = false, at time: Timestamp) -> [JobAction] {
        var actions: [JobAction] = []
        for index in runs.indices {
            switch runs[index].state {
            case .running where requeues:
                actions += requeue(at: index, time)
            case .running:
                runs[index].problem = RunProblem(code: "lost", message: reason)
                actions += finish(at: index, .lost, .lost(reason), time)
            case .cancelling:
                actions += finishStopped(at: index, time)
            case .queued, .succeeded, .failed, .cancelled, .timedOut, .lost:
                break
            }
        }
        return actions + promoteNext()
    }

    /// The worker gave up because the process ends, and the run starts anew in the next one. Ignored unless it is
    /// current and `running`: a cancel that came first wins.
    public mutating func requeued(_ runID: UniqueID, at time: Timestamp) -> [JobAction] {
        guard runID == currentRunID, let index = currentIndex, runs[index].accepts else { return [] }
        return requeue(at: index, time)
    }

    /// The run's work can't be had, so that it can never start: it fails. Ignored unless it is `queued`.
    public mutating func unstartable(_ runID: UniqueID, _ problem: RunProblem, at time: Timestamp) -> [JobAction] {
        guard let index = index(of: runID), runs[index].state == .queued else { return [] }
        runs[index].problem = problem
        return [.dequeue(runID: runID)] + finish(at: index, .failed, .failed(problem), time) + promoteNext()
    }

    /// As if it had never started, but for what was said: its events are counted on.
    private mutating func requeue(at index: Int, _ time: Timestamp) -> [JobAction] {
        let runID = runs[index].id
        runs[index].state = .queued
        runs[index].startedAt = nil
        runs[index].progress = nil
        return [.disarmTimeout(runID: runID), emit(.queued, at: index, time), .enqueue(runID: runID)]
    }
}
