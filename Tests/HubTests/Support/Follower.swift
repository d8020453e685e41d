import Hub

/// A consumer as a remote client is one: it gets bytes, parses them and remembers the last id.
final class Follower {
    let hub: Hub
    let subscription: Subscription
    let driver = DriverSpy()
    private var parser = EventStreamParser()
    private(set) var isOver = false

    var lastEventID: String { parser.lastEventID }

    init(_ hub: Hub, _ request: SubscriptionRequest) throws {
        self.hub = hub
        subscription = try hub.subscribe(request)
        hub.attach(subscription, to: driver)
    }

    convenience init(
        _ hub: Hub, _ topics: String..., policy: DeliveryPolicy? = nil, after lastEventID: String? = nil,
        limit: Int? = nil
    ) throws {
        try self.init(
            hub,
            SubscriptionRequest(
                topics: topics.map { try TopicName($0) }, policy: policy, lastEventID: lastEventID,
                limit: limit))
    }

    /// One delivery.
    func readOnce(maxBytes: Int = 1 << 16) -> [ReceivedEvent] {
        let delivery = hub.take(subscription.handle, maxBytes: maxBytes)
        if delivery.isLast { isOver = true }
        return parser.feed(delivery.frames.flatMap { $0.bytes[$0.textRange] })
    }

    /// Everything that is due, and then leaves if it was the last.
    func read(maxBytes: Int = 1 << 16) -> [ReceivedEvent] {
        var events: [ReceivedEvent] = []
        while !isOver {
            let delivery = hub.take(subscription.handle, maxBytes: maxBytes)
            events += parser.feed(delivery.frames.flatMap { $0.bytes[$0.textRange] })
            if delivery.isLast {
                isOver = true
                hub.detach(subscription.handle)
            }
            if !delivery.hasMore { break }
        }
        return events
    }

    func leave() { hub.detach(subscription.handle) }
}

extension Sequence<ReceivedEvent> {
    var texts: [String] { map { $0.name == "message" ? $0.data : "\($0.name) \($0.data)" } }
    /// What was published: no word of the stream itself.
    var published: [ReceivedEvent] { filter { !NewEvent.reservedNames.contains($0.name) } }
}

extension Hub {
    /// A hub whose ids are `e-1`, `e-2`, ...
    static func forTests(limits: HubLimits = HubLimits()) -> Hub { Hub(limits: limits, epoch: "e") }

    @discardableResult
    func topic(
        _ name: String, policy: DeliveryPolicy = .all, access: TopicAccess = .source,
        beginning: TopicBeginning = .next, keeping maxEvents: Int = 1_024, maxBytes: Int = 1 << 20
    ) throws -> Topic {
        try makeTopic(
            TopicName(name), access: access, policy: policy, beginning: beginning,
            retention: Retention(maxEvents: maxEvents, maxBytes: maxBytes))
    }

    @discardableResult
    func publish(_ data: String, to topic: Topic, id: String? = nil, tag: UInt32 = 0) throws
        -> PublishReceipt?
    {
        publish(try NewEvent(data: data.utf8, id: id, withdrawalTag: tag), to: topic)
    }

    func publish(_ values: ClosedRange<Int>, to topic: Topic) throws {
        for value in values { try publish(String(value), to: topic) }
    }
}
