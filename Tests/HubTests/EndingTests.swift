import Hub
import Primitives
import Testing

@Suite struct EndingTests {
    private let hub = Hub.forTests()

    @Test func `cancelling A leaves B going`() throws {
        let topic = try hub.topic("a")
        let (a, b) = (try Follower(hub, "a"), try Follower(hub, "a"))
        try hub.publish("1", to: topic)
        #expect(a.read().texts == ["1"] && b.read().texts == ["1"])
        #expect(hub.cancel(id: a.subscription.id))
        try hub.publish("2", to: topic)
        #expect(a.read().texts == [#"end {"reason":"cancelled"}"#] && a.isOver)
        #expect(b.read().texts == ["2"] && !b.isOver)
    }

    @Test func `a cancelled subscription gets nothing that it had not taken`() throws {
        let topic = try hub.topic("a")
        let a = try Follower(hub, "a")
        try hub.publish(1...3, to: topic)
        hub.cancel(id: a.subscription.id)
        #expect(a.read().texts == [#"end {"reason":"cancelled"}"#])
    }

    @Test func `cancelling tells the driver which subscription`() throws {
        try hub.topic("a")
        let driver = DriverSpy()
        let subscription = try hub.subscribe(SubscriptionRequest(topics: [TopicName("a")]))
        hub.attach(subscription, to: driver, token: 42)
        hub.cancel(id: subscription.id)
        #expect(driver.ended == [42])
    }

    @Test func `cancelling twice is harmless and tells so`() throws {
        try hub.topic("a")
        let a = try Follower(hub, "a")
        #expect(hub.cancel(id: a.subscription.id))
        #expect(!hub.cancel(id: a.subscription.id))
        #expect(a.driver.ended.count == 1)
        #expect(!hub.cancel(id: UniqueID.random()))
    }

    @Test func `a subscription cancelled before it is attached ends at its first take`() throws {
        let topic = try hub.topic("a")
        let subscription = try hub.subscribe(SubscriptionRequest(topics: [TopicName("a")]))
        #expect(hub.cancel(id: subscription.id))
        let driver = DriverSpy()
        hub.attach(subscription, to: driver)
        #expect(hub.take(subscription.handle, maxBytes: 1).isLast)
        hub.detach(subscription.handle)
        try hub.publish("1", to: topic)
        #expect(driver.advanced.isEmpty)
    }

    @Test func `a limit ends the stream and leaves the topic going`() throws {
        let topic = try hub.topic("a")
        let (waiter, b) = (try Follower(hub, "a", limit: 1), try Follower(hub, "a"))
        try hub.publish(1...2, to: topic)
        #expect(waiter.read().texts == ["1", #"end {"reason":"limit"}"#] && waiter.isOver)
        #expect(b.read().texts == ["1", "2"])
        #expect(hub.info(of: topic)?.subscribers == 1)
    }

    @Test func `nothing follows the last delivery`() throws {
        let topic = try hub.topic("a")
        let waiter = try Follower(hub, "a", limit: 1)
        try hub.publish(1...2, to: topic)
        #expect(waiter.readOnce().texts == ["1", #"end {"reason":"limit"}"#] && waiter.isOver)
        #expect(waiter.readOnce().isEmpty && waiter.isOver)
    }

    @Test func `the end is told once`() throws {
        try hub.topic("a")
        let a = try Follower(hub, "a")
        hub.cancel(id: a.subscription.id)
        #expect(a.readOnce().count == 1 && a.isOver)
        let again = hub.take(a.subscription.handle, maxBytes: 1)
        #expect(again.frames.isEmpty && again.isLast)
    }

    @Test func `a gap does not count towards the limit`() throws {
        let topic = try hub.topic("a", keeping: 1)
        let waiter = try Follower(hub, "a", limit: 1)
        try hub.publish(1...3, to: topic)
        #expect(waiter.read().texts.dropFirst() == ["3", #"end {"reason":"limit"}"#])
    }

    @Test func `a closed topic ends after its last event, in its own words`() throws {
        let topic = try hub.topic("run")
        let follower = try Follower(hub, "run")
        try hub.publish(1...2, to: topic)
        hub.publish(try NewEvent(name: "end", data: "{}".utf8, id: "1-3"), to: topic)
        hub.close(topic)
        #expect(follower.read().texts == ["1", "2", "end {}"] && follower.isOver)
    }

    @Test func `who has had the event that closes its topic is not let in again`() throws {
        let topic = try hub.topic("run")
        let follower = try Follower(hub, "run")
        hub.publish(try NewEvent(name: "end", data: "{}".utf8, id: "1-1"), to: topic, isLast: true)
        #expect(follower.read().texts == ["end {}"] && follower.isOver)
        #expect(throws: HubError.ended) { try Follower(hub, "run", after: "1-1") }
        #expect(try hub.publish("1", to: topic) == nil)
    }

    @Test func `a closed topic takes no event`() throws {
        let topic = try hub.topic("run")
        hub.close(topic)
        #expect(try hub.publish("1", to: topic) == nil)
        #expect(hub.info(of: topic)?.published == 0)
    }

    @Test func `coming back past the end of a closed topic is refused`() throws {
        let topic = try hub.topic("run")
        try hub.publish(1...2, to: topic)
        hub.close(topic)
        #expect(throws: HubError.ended) { try Follower(hub, "run", after: "e-2") }
        #expect(try Follower(hub, "run", after: "e-1").read().texts == ["2"])
        #expect(hub.subscriptionCount == 0)
    }

    @Test func `removing a topic ends its subscriptions`() throws {
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        try hub.publish("1", to: topic)
        hub.removeTopic(topic)
        #expect(follower.driver.advanced == ["a", "a"])
        #expect(follower.read().texts == [#"end {"reason":"removed"}"#] && follower.isOver)
        #expect(hub.topic(named: topic.name) == nil && hub.info(of: topic) == nil)
    }

    @Test func `detaching twice is harmless`() throws {
        let topic = try hub.topic("a")
        let (a, b) = (try Follower(hub, "a"), try Follower(hub, "a"))
        a.leave()
        a.leave()
        #expect(hub.info(of: topic)?.subscribers == 1)
        try hub.publish("1", to: topic)
        #expect(b.read().texts == ["1"])
    }

    @Test func `a stale subscription never reaches the one in its place`() throws {
        let topic = try hub.topic("a")
        let old = try Follower(hub, "a")
        old.leave()
        let new = try Follower(hub, "a")
        old.leave()
        hub.attach(old.subscription, to: old.driver)
        #expect(!hub.cancel(id: old.subscription.id))
        try hub.publish("1", to: topic)
        #expect(old.readOnce().isEmpty && old.isOver)
        #expect(old.driver.advanced.isEmpty)
        #expect(new.read().texts == ["1"])
    }

    @Test func `a stale topic never reaches the one in its place`() throws {
        let old = try hub.topic("a")
        hub.removeTopic(old)
        let new = try hub.topic("a")
        let follower = try Follower(hub, "a")
        hub.stop(old)
        hub.close(old)
        hub.removeTopic(old)
        hub.withdraw(from: old, taggedBelow: 9)
        #expect(try hub.publish("stale", to: old) == nil)
        try hub.publish("1", to: new, tag: 1)
        #expect(follower.read().texts == ["1"])
    }
}
