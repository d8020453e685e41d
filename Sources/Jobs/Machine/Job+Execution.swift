public import Primitives

extension Job {
    /// A worker is free for the run. Ignored unless it is current and `queued`.
    public mutating func dispatched(_ runID: UniqueID, at time: Timestamp) -> [JobAction] {
        guard runID == currentRunID, let index = currentIndex, runs[index].state == .queued else { return [] }
        runs[index].state = .running
        runs[index].startedAt = time
        var actions = [emit(.started, at: index, time), .startWorker(runID: runID)]
        if let timeout = runs[index].timeout {
            actions.append(.armTimeout(runID: runID, after: timeout))
        }
        return actions
    }

    /// The worker reports how far it has come. Ignored unless the run is current and `running`, and the report new:
    /// `current` may stay (with another message) but never goes back.
    public mutating func progress(
        _ runID: UniqueID, _ progress: RunProgress, at time: Timestamp
    ) -> [JobAction] {
        guard runID == currentRunID, let index = currentIndex, runs[index].accepts else { return [] }
        if let known = runs[index].progress {
            guard progress != known, progress.current >= known.current else { return [] }
        }
        runs[index].progress = progress
        return [emit(.progress(progress), at: index, time)]
    }

    /// The worker is done. Its outcome is accepted while the run is current and `running`; otherwise it is refused,
    /// and a run that was waiting for its worker to stop ends now.
    public mutating func runFinished(
        _ runID: UniqueID, _ outcome: RunOutcome, at time: Timestamp
    ) -> [JobAction] {
        guard let index = index(of: runID) else {
            return outcome == .stopped ? [] : [.resultRefused(runID: runID, .unknown)]
        }
        if runID == currentRunID, runs[index].accepts {
            return accept(outcome, at: index, time) + promoteNext()
        }
        var actions: [JobAction] = []
        if outcome != .stopped {
            actions.append(.resultRefused(runID: runID, runs[index].refusal))
        }
        if runs[index].state == .cancelling {
            actions += finishStopped(at: index, time)
        }
        return actions + promoteNext()
    }

    private mutating func accept(
        _ outcome: RunOutcome, at index: Int, _ time: Timestamp
    ) -> [JobAction] {
        switch outcome {
        case .succeeded(let result):
            runs[index].result = result
            return finish(at: index, .succeeded, .succeeded(result), time)
        case .failed(let problem):
            runs[index].problem = problem
            return finish(at: index, .failed, .failed(problem), time)
        case .stopped:
            let problem = RunProblem(
                code: "stopped", message: "The computation gave up although nobody had cancelled it.")
            runs[index].problem = problem
            return finish(at: index, .failed, .failed(problem), time)
        }
    }

    /// The one way into a terminal state: its event, then `end`.
    mutating func finish(
        at index: Int, _ state: RunState, _ event: JobEvent.Payload, _ time: Timestamp
    ) -> [JobAction] {
        runs[index].state = state
        runs[index].finishedAt = time
        return [
            .disarmTimeout(runID: runs[index].id), emit(event, at: index, time),
            emit(.end, at: index, time),
        ]
    }
}
