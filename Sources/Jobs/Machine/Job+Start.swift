public import Primitives

/// What a start came to.
public enum StartDecision: Sendable, Hashable {
    /// The new run is current; the one it replaced, if that was still under way.
    case current(replaces: UniqueID?)
    /// The new run waits behind the current one.
    case queuedBehind
    /// Nothing new: the run that is under way.
    case joined(runID: UniqueID)
}

/// Why a start was refused; nothing has changed.
public enum StartRefusal: Error, Sendable, Hashable {
    case conflict(currentRunID: UniqueID)
    case tooManyQueuedRuns
}

/// What a run is started with.
public struct NewRun: Sendable, Hashable {
    public var id: UniqueID
    public var input: JSONValue
    public var timeout: Duration?

    public init(id: UniqueID, input: JSONValue, timeout: Duration? = nil) {
        self.id = id
        self.input = input
        self.timeout = timeout
    }
}

extension Job {
    /// Starts a run. It is `queued`, as the current run or behind it, until ``dispatched(_:at:)``.
    ///
    /// Once the current run is terminal, a start always makes the new run current, whatever the policy.
    public mutating func start(
        _ newRun: NewRun, onConflict policy: ConflictPolicy, limits: JobLimits, at time: Timestamp
    ) throws(StartRefusal) -> Transition<StartDecision> {
        guard let currentIndex, !runs[currentIndex].state.isTerminal else {
            let actions = startCurrent(newRun, time)
            return Transition(.current(replaces: nil), actions + evictRuns(beyond: limits.maxRunsPerJob))
        }
        let currentRunID = runs[currentIndex].id
        switch policy {
        case .reject:
            throw .conflict(currentRunID: currentRunID)
        case .join:
            return Transition(.joined(runID: currentRunID), [])
        case .queue:
            guard indicesQueuedBehind.count < limits.maxQueuedRunsPerJob else { throw .tooManyQueuedRuns }
            let actions = [emit(.queued, at: append(newRun, time), time)]
            return Transition(.queuedBehind, actions + evictRuns(beyond: limits.maxRunsPerJob))
        case .replace:
            // Those behind are older than the new run: left there, an older run would take over from a newer.
            var actions: [JobAction] = []
            for index in [currentIndex] + indicesQueuedBehind {
                actions += requestStop(at: index, .superseded, time)
            }
            actions += startCurrent(newRun, time)
            return Transition(
                .current(replaces: currentRunID), actions + evictRuns(beyond: limits.maxRunsPerJob))
        }
    }

    /// Gives the turn to the run that waits longest behind the current one, if the current one is over.
    mutating func promoteNext() -> [JobAction] {
        guard let currentIndex, runs[currentIndex].state.isTerminal, let next = indicesQueuedBehind.first
        else { return [] }
        return makeCurrent(next) + [.enqueue(runID: runs[next].id)]
    }

    private mutating func startCurrent(_ newRun: NewRun, _ time: Timestamp) -> [JobAction] {
        let index = append(newRun, time)
        return makeCurrent(index) + [emit(.queued, at: index, time), .enqueue(runID: newRun.id)]
    }

    private mutating func append(_ newRun: NewRun, _ time: Timestamp) -> Int {
        lastOrdinal += 1
        runs.append(
            Run(
                id: newRun.id, ordinal: lastOrdinal, input: newRun.input, timeout: newRun.timeout,
                createdAt: time))
        return runs.count - 1
    }

    private mutating func makeCurrent(_ index: Int) -> [JobAction] {
        let isFirst = currentRunID == nil
        currentRunID = runs[index].id
        return isFirst ? [] : [.currentRunChanged(ordinal: runs[index].ordinal)]
    }

    /// Drops the oldest terminal runs, never the current one; runs under way are bounded by other limits.
    private mutating func evictRuns(beyond limit: Int) -> [JobAction] {
        var actions: [JobAction] = []
        while runs.count > limit,
            let index = runs.firstIndex(where: { $0.state.isTerminal && $0.id != currentRunID })
        {
            actions.append(.runEvicted(runID: runs.remove(at: index).id))
        }
        return actions
    }
}
