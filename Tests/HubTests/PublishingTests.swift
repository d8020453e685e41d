import Primitives
import Testing

@testable import Hub

@Suite struct PublishingTests {
    @Test func `a receipt tells the id and how many follow`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        #expect(try hub.publish("1", to: topic) == PublishReceipt(id: "e-1", matched: 0))
        let (a, b) = (try Follower(hub, "a"), try Follower(hub, "a"))
        #expect(try hub.publish("2", to: topic) == PublishReceipt(id: "e-2", matched: 2))
        a.leave()
        #expect(try hub.publish("3", to: topic, id: "own") == PublishReceipt(id: "own", matched: 1))
        b.leave()
    }

    @Test func `positions are of the whole hub`() throws {
        let hub = Hub.forTests()
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        let ids = try [a, b, b, a].map { try hub.publish("x", to: $0)?.id }
        #expect(ids == ["e-1", "e-2", "e-3", "e-4"])
    }

    @Test func `every follower gets every event`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let followers = try (0..<3).map { _ in try Follower(hub, "a") }
        try hub.publish(1...3, to: topic)
        for follower in followers { #expect(follower.read().map(\.data) == ["1", "2", "3"]) }
    }

    @Test func `followers share the bytes of an event`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let (a, b) = (try Follower(hub, "a"), try Follower(hub, "a"))
        try hub.publish("1", to: topic)
        let (first, second) = (
            hub.take(a.subscription.handle, maxBytes: 1).frames[0],
            hub.take(b.subscription.handle, maxBytes: 1).frames[0]
        )
        let areShared = first.bytes.withUnsafeBufferPointer { first in
            second.bytes.withUnsafeBufferPointer { first.baseAddress == $0.baseAddress }
        }
        #expect(areShared)
    }

    @Test func `a newcomer waits for the next event`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", policy: .latest)
        try hub.publish("1", to: topic)
        let follower = try Follower(hub, "a")
        #expect(follower.read().isEmpty)
        try hub.publish("2", to: topic)
        #expect(follower.read().map(\.data) == ["2"])
    }

    @Test func `a newcomer that asks for the stored events gets them first`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", beginning: .stored)
        try hub.publish(1...2, to: topic)
        let follower = try Follower(hub, "a")
        try hub.publish("3", to: topic)
        #expect(follower.read().map(\.data) == ["1", "2", "3"])
    }

    @Test func `what is published before the driver is attached is not lost`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let subscription = try hub.subscribe(SubscriptionRequest(topics: [TopicName("a")]))
        try hub.publish("1", to: topic)
        hub.attach(subscription, to: DriverSpy())
        #expect(hub.take(subscription.handle, maxBytes: 1).eventCount == 1)
    }

    @Test func `a driver is told once for all its subscriptions`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let driver = DriverSpy()
        for _ in 0..<5 {
            hub.attach(try hub.subscribe(SubscriptionRequest(topics: [TopicName("a")])), to: driver)
        }
        try hub.publish("1", to: topic)
        #expect(driver.advanced == ["a"])
    }

    @Test func `a driver is told of its topics only`() throws {
        let hub = Hub.forTests()
        try hub.topic("a")
        let b = try hub.topic("b")
        let follower = try Follower(hub, "a")
        try hub.publish("1", to: b)
        #expect(follower.driver.advanced.isEmpty && follower.read().isEmpty)
    }

    @Test func `a driver whose subscriptions have left is told nothing`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        follower.leave()
        try hub.publish("1", to: topic)
        #expect(follower.driver.advanced.isEmpty)
    }

    @Test func `the greeting goes first`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let subscription = try hub.subscribe(SubscriptionRequest(topics: [TopicName("a")]))
        try hub.publish("1", to: topic)
        hub.attach(subscription, to: DriverSpy(), greeting: Frame(text: ":hello\n\n".utf8))
        let delivery = hub.take(subscription.handle, maxBytes: 1)
        #expect(delivery.frames.count == 2 && delivery.eventCount == 1)
        #expect(delivery.frames[0].bytes == Frame(text: ":hello\n\n".utf8).bytes)
        #expect(hub.take(subscription.handle, maxBytes: 1).frames.isEmpty)
    }
}
