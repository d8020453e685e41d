/// The hub's bounds. Nothing in it grows past them.
public struct HubLimits: Sendable {
    /// Topics open to publishers at one time. Default 1,000: with all logs full, their retention times this is kept.
    /// Topics with a source of their own do not count:
    /// whoever makes those bounds them.
    public var maxOpenTopics = 1_000
    /// Subscriptions at one time. Default 10,000.
    public var maxSubscriptions = 10_000
    /// Topics that one subscription can name. Default 64.
    public var maxTopicsPerSubscription = 64

    public init() {}
}
