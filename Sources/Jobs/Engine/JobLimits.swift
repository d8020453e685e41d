/// The bounds of the job engine. Each is checked where it says; beyond it the caller gets an error, or the oldest
/// finished thing makes room.
public struct JobLimits: Sendable, Hashable {
    /// Jobs kept. Beyond it the oldest terminal job is dropped; with none terminal a new job is refused. Default 10,000.
    public var maxJobs = 10_000
    /// How long a job is kept after its last run was over, by wall-clock time. Default 30 days.
    public var keepFinishedFor: Duration = .seconds(30 * 24 * 60 * 60)
    /// How often jobs are looked at that are over for too long. Default 1 min.
    public var retentionInterval: Duration = .seconds(60)
    /// What all jobs kept may take: the bytes of the JSON text of their inputs and their runs' inputs and results, and of
    /// the words of their problems. Beyond it the oldest settled jobs are dropped; a start that does not fit even then
    /// is refused. A result is always taken, and the job that has it not dropped for it. Default 256 MiB.
    public var maxBytes = 256 * 1_024 * 1_024
    /// Runs kept per job. Beyond it the oldest terminal run is dropped. Default 20.
    public var maxRunsPerJob = 20
    /// Runs that compute at the same time; a run that was cancelled counts until its worker has returned.
    /// The default is the number of worker threads of the engine's pool.
    public var maxRunningRuns: Int?
    /// Runs that are queued, of all jobs together. Beyond it a start is refused, with ``queueFullRetryHint``.
    /// Default 1,000.
    public var maxQueuedRuns = 1_000
    /// Runs that wait behind the current run of one job; beyond it a start is refused likewise. Default 16.
    public var maxQueuedRunsPerJob = 16
    /// Callers of ``JobEngine/waitUntilTerminal(_:runID:for:)``; those beyond it don't wait. Default 1,000.
    public var maxWaiters = 1_000
    /// The longest that one of them waits. Default 60 s.
    public var maxWait: Duration = .seconds(60)
    /// The longest time limit that a run may be given. Default 7 days.
    public var maxTimeout: Duration = .seconds(7 * 24 * 60 * 60)
    /// Idempotency keys remembered; beyond it the oldest is forgotten. Default 10,000.
    public var maxIdempotencyKeys = 10_000
    /// How long a key is remembered. Default 24 h.
    public var idempotencyKeyLifetime: Duration = .seconds(24 * 60 * 60)
    /// UTF-8 bytes of an idempotency key; a longer one is refused. Default 256.
    public var maxIdempotencyKeyBytes = 256
    /// IDs of dropped jobs and runs remembered, to tell "gone" from "unknown"; beyond it the oldest is forgotten.
    /// Default 10,000.
    public var maxTombstones = 10_000
    /// The least time between two progress reports of a run; newer ones in between replace each other.
    /// Default 200 ms.
    public var progressInterval: Duration = .milliseconds(200)
    /// After a failed commit, how long until what must not be forgotten is tried again. Default 1 s.
    public var storeRetryInterval: Duration = .seconds(1)
    /// What a refused caller is told to wait. Default 5 s.
    public var queueFullRetryHint: Duration = .seconds(5)

    public init() {}
}
