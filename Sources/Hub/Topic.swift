/// Addresses a topic of a hub. Harmless when the topic is gone.
public struct Topic: Sendable, Hashable {
    public let name: TopicName
    let handle: Slab<TopicState>.Handle
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

/// A topic as the hub keeps it: a log, and a count of who follows it. A value type without a lock or a clock.
struct TopicState {
    let name: TopicName
    let access: TopicAccess
    let policy: DeliveryPolicy
    let beginning: TopicBeginning
    var log: TopicLog
    /// What all events so far amount to, for those who have not seen them. Replaced with each event.
    var snapshot: Frame?
    var rate = RateMeter()
    /// Subscriptions that will get what is published next.
    var subscribers = 0
    /// Whoever must be told of news, each once, with the number of its subscriptions to this topic.
    var drivers: [(driver: any SubscriptionDriver, subscriptions: Int)] = []
    /// Complete for good: nothing will be published any more.
    var isClosed = false
    /// The source does not run.
    var isStopped = false
    var acceptsEvents: Bool { !isClosed && !isStopped }

    mutating func attach(_ driver: any SubscriptionDriver) {
        if let index = drivers.firstIndex(where: { $0.driver === driver }) {
            drivers[index].subscriptions += 1
        } else {
            drivers.append((driver, 1))
        }
    }

    mutating func detach(_ driver: any SubscriptionDriver) {
        guard let index = drivers.firstIndex(where: { $0.driver === driver }) else { return }
        drivers[index].subscriptions -= 1
        if drivers[index].subscriptions == 0 { drivers.remove(at: index) }
    }
}

/// What is known of a topic at one moment.
public struct TopicInfo: Sendable {
    public let topic: Topic
    public let access: TopicAccess
    public let policy: DeliveryPolicy
    public let subscribers: Int
    /// Nil while nothing was published.
    public let lastEventID: String?
    /// Events published since the topic was made.
    public let published: UInt64
    /// Events kept for those who resume.
    public let retained: Int
    /// Events per second, over the last 10 to 20 seconds.
    public let rate: Double
    public let isStopped: Bool
    public let isClosed: Bool
}

/// Counts in two windows of ten seconds: cheap, bounded, and close enough for a listing.
struct RateMeter {
    private static let window = Duration.seconds(10)
    private var windowStart = Duration.zero
    private var current = 0
    private var previous = 0

    mutating func count(at now: Duration) {
        turn(to: now)
        current += 1
    }

    /// Events per second, taking the previous window in proportion to how much of it is still near.
    mutating func rate(at now: Duration) -> Double {
        turn(to: now)
        let elapsed = (now - windowStart) / Self.window
        return (Double(previous) * (1 - elapsed) + Double(current)) / (Self.window / .seconds(1))
    }

    private mutating func turn(to now: Duration) {
        guard now - windowStart >= Self.window else { return }
        let isNext = now - windowStart < Self.window * 2
        previous = isNext ? current : 0
        current = 0
        windowStart = isNext ? windowStart + Self.window : now
    }
}
