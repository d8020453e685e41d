import Hub
import Primitives
import Testing

@Suite struct DrainingTests {
    private let hub = Hub.forTests()

    @Test func `draining tells each driver once`() throws {
        try hub.topic("a")
        let driver = DriverSpy()
        for _ in 0..<3 {
            hub.attach(try hub.subscribe(SubscriptionRequest(topics: [TopicName("a")])), to: driver)
        }
        hub.drain()
        #expect(driver.drains == 1)
    }

    @Test func `a drained stream asks its client to come back`() throws {
        try hub.topic("a")
        let follower = try Follower(hub, "a")
        hub.drain()
        let delivery = hub.take(follower.subscription.handle, maxBytes: 1)
        var parser = EventStreamParser()
        #expect(parser.feed(delivery.frames.flatMap { $0.bytes[$0.textRange] }).isEmpty)
        #expect(delivery.isLast)
        let delay = try #require(parser.reconnectionMilliseconds)
        #expect(1_000...5_000 ~= delay)
    }

    @Test func `what was published before a drain is delivered before the client is asked to come back`() throws {
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        for number in 1...3 { try hub.publish("\(number)", to: topic) }
        hub.drain()
        var parser = EventStreamParser()
        var delivery: Delivery
        var events: [String] = []
        repeat {
            delivery = hub.take(follower.subscription.handle, maxBytes: 1)
            events += parser.feed(delivery.frames.flatMap { $0.bytes[$0.textRange] }).map(\.data)
            #expect(delivery.isLast == (parser.reconnectionMilliseconds != nil))
        } while !delivery.isLast
        #expect(events == ["1", "2", "3"])
        #expect(hub.take(follower.subscription.handle, maxBytes: 1).frames.isEmpty)
    }

    @Test func `a draining hub takes no new subscription`() throws {
        try hub.topic("a")
        hub.drain()
        #expect(throws: HubError.draining) { try Follower(hub, "a") }
    }
}
