import Hub
import Testing

@Suite struct LimitsTests {
    @Test func `open topics are bounded, and removing one makes room`() throws {
        var limits = HubLimits()
        limits.maxOpenTopics = 2
        let hub = Hub.forTests(limits: limits)
        let first = try hub.topic("a", access: .open)
        try hub.topic("b", access: .open)
        #expect(throws: HubError.tooManyTopics(limit: 2)) { try hub.topic("c", access: .open) }
        hub.removeTopic(first)
        hub.removeTopic(first)
        try hub.topic("c", access: .open)
        #expect(throws: HubError.tooManyTopics(limit: 2)) { try hub.topic("d", access: .open) }
    }

    @Test func `topics with a source do not count`() throws {
        var limits = HubLimits()
        limits.maxOpenTopics = 0
        try Hub.forTests(limits: limits).topic("a", access: .source)
    }

    @Test func `a name is used once`() throws {
        let hub = Hub.forTests()
        try hub.topic("a")
        #expect(throws: HubError.topicExists("a")) { try hub.topic("a", access: .open) }
    }

    @Test func `subscriptions are bounded, and leaving makes room`() throws {
        var limits = HubLimits()
        limits.maxSubscriptions = 1
        let hub = Hub.forTests(limits: limits)
        let topic = try hub.topic("a")
        let first = try Follower(hub, "a")
        #expect(throws: HubError.tooManySubscriptions(limit: 1)) { try Follower(hub, "a") }
        #expect(hub.info(of: topic)?.subscribers == 1)
        first.leave()
        _ = try Follower(hub, "a")
    }

    @Test func `the topics of a subscription are bounded`() throws {
        var limits = HubLimits()
        limits.maxTopicsPerSubscription = 2
        let hub = Hub.forTests(limits: limits)
        for name in ["a", "b", "c"] { try hub.topic(name) }
        _ = try Follower(hub, "a", "b")
        #expect(throws: HubError.tooManyTopicsInSubscription(limit: 2)) { try Follower(hub, "a", "b", "c") }
    }

    @Test func `an unknown topic is refused and nothing is counted`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        #expect(throws: HubError.unknownTopic("b")) { try Follower(hub, "a", "b") }
        #expect(hub.subscriptionCount == 0 && hub.info(of: topic)?.subscribers == 0)
    }
}
