/// How much of the past of all topics is kept. What goes beyond it goes oldest first; whoever is not through with it gets
/// a gap.
public struct RetentionPolicy: Sendable, Hashable {
    /// Events of one topic. The newest is always kept. Default 100,000.
    public var maxEventsPerTopic = 100_000
    /// Bytes of one topic's events, but for the newest. Default 64 MiB.
    public var maxBytesPerTopic = 64 << 20
    /// The age of any event, by the time of its recording. Default 7 days.
    public var maxAge: Duration = .seconds(7 * 24 * 60 * 60)
    /// Bytes in use in the database file, all of it counted: beyond it the oldest events of any topic go. Default 4 GiB.
    public var maxStoreBytes = 4 << 30
    /// The bounds are looked at this often, and when one is exceeded by a sixteenth. Default 1 s.
    public var interval: Duration = .seconds(1)

    public init() {}

    /// What the file may grow to, for ``StoreLimits/maxFileBytes``: room for what is recorded before the oldest has gone, and
    /// for jobs.
    public var maxFileBytes: Int { maxStoreBytes + max(maxStoreBytes / 4, 64 << 20) }
}

/// Who is told what retention does, and asked what it may do.
///
/// Threading: called on retention's thread with the journal's lock held, so a call must be quick and must not use the store.
public protocol RetentionObserver: Sendable {
    /// The topic's events up to this position are no longer kept.
    func evicted(from topic: String, through position: UInt64)
    /// Whether a topic that clients made, of which no event is kept, may go: false while somebody follows it.
    func mayRemove(topic: String) -> Bool
    func removed(topic: String)
}
