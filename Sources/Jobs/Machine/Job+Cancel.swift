public import Primitives

/// What a cancel came to.
public enum CancelDecision: Sendable, Hashable {
    /// The run is `cancelling`: it was asked to stop, now or before.
    case requested(runID: UniqueID)
    /// The run ended with this: it had only been queued, or the cancel was forced.
    case ended(runID: UniqueID)
    /// The run was terminal already; nothing has changed.
    case unchanged(runID: UniqueID)
}

/// Why a cancel was refused; nothing has changed.
public enum CancelRefusal: Error, Sendable, Hashable {
    /// The job has no such run (any more).
    case unknownRun
    /// The run addressed is an older one.
    case notCurrent(currentRunID: UniqueID)
    /// Nothing was ever started.
    case noRun
}

extension Job {
    /// Cancels the current run, or the run addressed: that must be the current one or wait behind it.
    /// Runs that wait behind a cancelled one go on to have their turn.
    ///
    /// With `force` the run is terminal at once, without waiting for its worker; what the worker brings later is
    /// refused. If a timeout was first, the run still ends as `timedOut`. Repeating a cancel is harmless.
    public mutating func cancel(
        _ runID: UniqueID? = nil, reason: CancelReason = .user, force: Bool = false, at time: Timestamp
    ) throws(CancelRefusal) -> Transition<CancelDecision> {
        guard let currentIndex else { throw .noRun }
        guard let target = runID.map(index(of:)) ?? currentIndex else { throw .unknownRun }
        guard target >= currentIndex else { throw .notCurrent(currentRunID: runs[currentIndex].id) }
        let id = runs[target].id
        if runs[target].state.isTerminal { return Transition(.unchanged(runID: id), []) }
        var actions = requestStop(at: target, reason, time)
        if force, runs[target].state == .cancelling {
            actions += finishStopped(at: target, time)
        }
        actions += promoteNext()
        let ended = runs[target].state.isTerminal
        return Transition(ended ? .ended(runID: id) : .requested(runID: id), actions)
    }

    /// The run's time is up. Ignored unless it is current and `running`: whatever came first decides.
    public mutating func timedOut(_ runID: UniqueID, at time: Timestamp) -> [JobAction] {
        guard runID == currentRunID, let index = currentIndex, runs[index].accepts else { return [] }
        return requestStop(at: index, .timeout, time)
    }

    /// Asks every run that is under way to stop; with `sparesQueued` those that wait go on waiting.
    public mutating func cancelAll(
        reason: CancelReason, sparesQueued: Bool = false, at time: Timestamp
    ) -> [JobAction] {
        var actions: [JobAction] = []
        for index in runs.indices where !(sparesQueued && runs[index].state == .queued) {
            actions += requestStop(at: index, reason, time)
        }
        return actions
    }

    /// A queued run ends; a running one becomes `cancelling`; any other is left as it is.
    mutating func requestStop(at index: Int, _ reason: CancelReason, _ time: Timestamp) -> [JobAction] {
        let runID = runs[index].id
        switch runs[index].state {
        case .queued:
            runs[index].cancelReason = reason
            return [.dequeue(runID: runID)] + finishStopped(at: index, time)
        case .running:
            runs[index].cancelReason = reason
            runs[index].state = .cancelling
            return [
                .disarmTimeout(runID: runID), emit(.cancelRequested(reason), at: index, time),
                .cancelWorker(runID: runID),
            ]
        case .cancelling, .succeeded, .failed, .cancelled, .timedOut, .lost:
            return []
        }
    }

    /// Ends a run that was asked to stop: `timedOut` if its time had run out, else `cancelled`.
    mutating func finishStopped(at index: Int, _ time: Timestamp) -> [JobAction] {
        let reason = runs[index].cancelReason ?? .user
        return reason.cause == .timeout
            ? finish(at: index, .timedOut, .timedOut, time)
            : finish(at: index, .cancelled, .cancelled(reason), time)
    }
}
