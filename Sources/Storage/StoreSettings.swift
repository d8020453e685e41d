/// When a commit counts as done.
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// When it is on the disk: it survives a loss of power.
    case full
    /// When the system has it: it survives the end of the process, but a loss of power may take the newest commits.
    case normal
}

/// The bounds of a store. Each says what happens beyond it.
public struct StoreLimits: Sendable, Hashable {
    /// Units that wait for the journal's thread; the next one is refused (`tooManyPending`). Default 8,192.
    public var maxPendingUnits = 8_192
    /// Bytes that these say they take; a unit that finds as many waiting is refused likewise. Default 64 MiB.
    public var maxPendingBytes = 64 << 20
    /// Units in one transaction of the journal's thread; the rest has its turn in the next. Default 1,024.
    public var maxUnitsPerCommit = 1_024
    /// IDs of evicted jobs and runs remembered; beyond it the oldest is forgotten. Default 10,000.
    public var maxTombstones = 10_000
    /// Idempotency keys remembered; beyond it the oldest is forgotten. Default 10,000.
    public var maxIdempotencyKeys = 10_000
    /// Bytes of the database file; beyond it writes fail as `full`. Nil: no bound but the disk's. Default nil.
    public var maxFileBytes: Int?
    /// Bytes of the write-ahead log from which on it is copied into the database. Default 4 MiB.
    public var walCheckpointBytes = 4 << 20
    /// Bytes of the write-ahead log from which on commits wait until all of it is copied, unless a reader needs it for more than
    /// 0.1 s: then they go on until it is twice as long. Default 16 MiB.
    public var walRestartBytes = 16 << 20
    /// Reads of history that wait for its thread; the next one is answered as unreadable. Default 16,384.
    public var maxPendingReads = 16_384
    /// Topics whose counters are kept in memory; beyond it all are let go, and read again when they
    /// are needed. Default 16,384.
    public var maxCachedTopics = 16_384

    public init() {}
}
