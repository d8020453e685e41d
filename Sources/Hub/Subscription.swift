public import Primitives

/// One subscription of a hub, as it was made.
public struct Subscription: Sendable, Hashable {
    /// Addresses a subscription; all that a driver needs to keep. Harmless when the subscription is gone.
    public struct Handle: Sendable, Hashable {
        let slot: Slab<SubscriptionState>.Handle
    }

    public let id: UniqueID
    /// The topics it follows, in the order they were asked for.
    public let topics: [Topic]
    public let policy: DeliveryPolicy
    public let handle: Handle
}

/// What a consumer asks for.
public struct SubscriptionRequest: Sendable {
    /// At least one. One named twice is followed once.
    public var topics: [TopicName]
    /// Nil takes each topic's own.
    public var policy: DeliveryPolicy?
    /// The id of the last event the consumer has had (WHATWG HTML, section 9.2.4), as it came; nil or empty
    /// when it has had none.
    public var lastEventID: String?
    /// Ends the subscription after this many events; nil is no limit.
    public var limit: Int?

    public init(
        topics: [TopicName], policy: DeliveryPolicy? = nil, lastEventID: String? = nil, limit: Int? = nil
    ) {
        precondition(limit.map { $0 > 0 } ?? true, "a limit is positive")
        self.topics = topics
        self.policy = policy
        self.lastEventID = lastEventID
        self.limit = limit
    }
}

/// Why a stream ended for good: the `reason` of its `end` event.
public enum EndReason: String, Sendable {
    /// The subscription was cancelled by its id.
    case cancelled
    /// The topic's source was stopped.
    case stopped
    /// The requested number of events was delivered.
    case limit
    /// The topic is complete.
    case done
    /// The topic was removed.
    case removed
}

/// What is known of a subscription at one moment.
public struct SubscriptionInfo: Sendable {
    public let id: UniqueID
    public let topics: [TopicName]
    public let since: Timestamp
    /// Events that it has taken; not those that tell of the stream itself.
    public let delivered: UInt64
    /// Events left out because a newer one was there, under the policy `latest`.
    public let conflated: UInt64
    /// Published events that it has not taken yet. Of those that only the history has, none are counted that were there
    /// when it came.
    public let lag: UInt64
}
