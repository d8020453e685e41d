/// How much of a topic's past is kept for those who resume or lag. The newest event is always kept.
public struct Retention: Sendable, Equatable {
    /// Events kept. Default 1,024.
    public var maxEvents: Int
    /// Bytes of event text kept. Default 1 MiB.
    public var maxBytes: Int

    public init(maxEvents: Int = 1_024, maxBytes: Int = 1 << 20) {
        precondition(maxEvents > 0 && maxBytes > 0, "a topic keeps at least its newest event")
        self.maxEvents = maxEvents
        self.maxBytes = maxBytes
    }
}
