/// Figures for whoever watches the engine. Totals count from the start of the process.
public struct JobMetrics: Sendable, Hashable {
    /// Jobs kept, by the state of their current run.
    public internal(set) var jobsByState: [RunState: Int] = [:]
    /// Runs that wait for a worker or behind another run.
    public internal(set) var queuedRuns = 0
    /// What the jobs kept take: see ``JobLimits/maxBytes``.
    public internal(set) var keptBytes = 0
    /// Workers that have not returned, those of cancelled runs included.
    public internal(set) var busyWorkers = 0
    public internal(set) var runsStarted = 0
    /// Runs that ended, by their terminal state.
    public internal(set) var runsEnded: [RunState: Int] = [:]
    public internal(set) var resultsRefused: [RefusalReason: Int] = [:]
    public internal(set) var storeFailures = 0
    public internal(set) var waiters = 0
    public internal(set) var idempotencyKeys = 0
}
