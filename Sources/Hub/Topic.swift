/// Addresses a topic of a hub. Harmless when the topic is gone.
public struct Topic: Sendable {
    public let name: TopicName
    let handle: Slab<TopicState>.Handle
}

/// By the handle alone, which no two topics of a hub share: comparing names would cost on every event.
extension Topic: Hashable {
    public static func == (left: Topic, right: Topic) -> Bool { left.handle == right.handle }
    public func hash(into hasher: inout Hasher) { hasher.combine(handle) }
}

/// Who may publish to a topic.
public enum TopicAccess: Sendable, Equatable {
    /// Anyone may publish; such topics are bounded by ``HubLimits/maxOpenTopics``.
    case open
    /// A source of its own publishes to it: a ticker, a feed, a run.
    case source
}

/// Where a newcomer to a topic begins: a subscription without the id of an event that it has had.
public enum TopicBeginning: Sendable, Equatable {
    /// With the next event. What was before is not its concern.
    case next
    /// With all that is retained. Whoever comes wants to know how things came to stand as they do.
    case stored
}

/// What is known of a topic at one moment.
public struct TopicInfo: Sendable {
    public let topic: Topic
    public let access: TopicAccess
    public let policy: DeliveryPolicy
    /// Subscriptions that will get what is published next.
    public let subscribers: Int
    /// Nil while nothing was published.
    public let lastEventID: String?
    /// Events published since the topic was made, or ever recorded.
    public let published: UInt64
    /// Events kept in memory for those who resume.
    public let retained: Int
    /// Events per second, over the last 10 to 20 seconds.
    public let rate: Double
    /// Its events are recorded, and those that memory no longer has can be read on from the history.
    public let isStored: Bool
    /// Its source does not run: see ``Hub/stop(_:)``.
    public let isStopped: Bool
    /// Complete for good: see ``Hub/close(_:)``.
    public let isClosed: Bool
}
