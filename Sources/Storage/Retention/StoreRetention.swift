/// How much of the past of topics is stored. Beyond it the oldest events go; whoever is not through with them gets a gap.
public struct StoreRetention: Sendable, Hashable {
    /// Events per topic. The newest is always kept. Default 100,000.
    public var maxEvents = 100_000
    /// Bytes of event text per topic, but for its newest event. Default 64 MiB.
    public var maxBytes = 64 << 20
    /// How old an event may get, by the time of its recording. Default 7 days.
    public var maxAge: Duration = .seconds(7 * 24 * 60 * 60)
    /// Bytes in use in the database, for all topics and jobs together: beyond it the oldest events of any topic go.
    /// Default 4 GiB.
    public var maxTotalBytes = 4 << 30
    /// The bounds are looked at this often, and besides when one is exceeded by a sixteenth. Default 1 s.
    public var interval: Duration = .seconds(1)

    public init() {}

    /// What the file may grow to, for ``StoreLimits/maxFileBytes``: room for what is recorded before the oldest has gone, and
    /// for jobs.
    public var maxFileBytes: Int { maxTotalBytes + max(maxTotalBytes / 4, 64 << 20) }
}
