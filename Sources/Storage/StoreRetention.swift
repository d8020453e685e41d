/// How much of the past of topics is stored. Beyond it the oldest events go.
public struct StoreRetention: Sendable, Hashable {
    /// Events per topic. Default 100,000.
    public var maxEvents = 100_000
    /// Bytes of event text per topic. Default 64 MiB.
    public var maxBytes = 64 << 20
    /// How old an event may get. Default 7 days.
    public var maxAge: Duration = .seconds(7 * 24 * 60 * 60)
    /// Bytes of the database, for all topics and jobs together: beyond it the oldest events of any topic go. Default 4 GiB.
    public var maxTotalBytes = 4 << 30

    public init() {}
}
