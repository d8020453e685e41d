/// The hub's bounds. Nothing in it grows past them.
public struct HubLimits: Sendable {
    /// Topics open to publishers at one time. Default 10,000. Topics with a source of their own do not count:
    /// whoever makes those bounds them.
    public var maxOpenTopics = 10_000
    /// Subscriptions at one time. Default 10,000.
    public var maxSubscriptions = 10_000
    /// Topics that one subscription can name. Default 64.
    public var maxTopicsPerSubscription = 64

    public init() {}
}

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

/// What a subscriber that is slower than its topic gets.
public enum DeliveryPolicy: String, Sendable, CaseIterable {
    /// Only the newest pending event: older ones are conflated away.
    case latest
    /// Every event in order; what can't be had any more is reported as a gap.
    case all
}
