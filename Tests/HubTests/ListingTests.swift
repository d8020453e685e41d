import Hub
import Primitives
import TestSupport
import Testing

@Suite struct ListingTests {
    private let clock = ManualClock(epoch: Timestamp(millisecondsSinceEpoch: 1_000))
    private let hub: Hub

    init() { hub = Hub(time: clock.timeSource, epoch: "e") }

    @Test func `topics are listed by name`() throws {
        for name in ["b", "a/b", "a"] { try hub.topic(name) }
        #expect(hub.topics().map(\.topic.name.text) == ["a", "a/b", "b"])
        #expect(hub.topics { !$0.text.contains("/") }.map(\.topic.name.text) == ["a", "b"])
    }

    @Test func `a topic tells what it is and what it has`() throws {
        let topic = try hub.topic("a", policy: .latest, access: .open, keeping: 2)
        _ = try Follower(hub, "a")
        try hub.publish(1...3, to: topic)
        let info = try #require(hub.info(of: topic))
        #expect(info.access == .open && info.policy == .latest && info.subscribers == 1)
        #expect(info.published == 3 && info.retained == 2 && info.lastEventID == "e-3")
        #expect(!info.isStopped && !info.isClosed)
    }

    @Test func `a topic tells the newest event's own id`() throws {
        let topic = try hub.topic("a")
        #expect(hub.info(of: topic)?.lastEventID == nil)
        try hub.publish("1", to: topic, id: "1-7")
        #expect(hub.info(of: topic)?.lastEventID == "1-7")
    }

    @Test func `a topic tells whether it is stopped or closed`() throws {
        let topic = try hub.topic("a")
        hub.stop(topic)
        #expect(hub.info(of: topic)?.isStopped == true)
        hub.start(topic)
        hub.close(topic)
        #expect(hub.info(of: topic)?.isStopped == false && hub.info(of: topic)?.isClosed == true)
    }

    @Test func `the rate is of the last ten seconds`() throws {
        clock.advance(by: .seconds(1_000))
        let topic = try hub.topic("a")
        for _ in 0..<40 {
            try hub.publish("x", to: topic)
            clock.advance(by: .milliseconds(500))
        }
        #expect(hub.info(of: topic)?.rate == 2)
        clock.advance(by: .seconds(5))
        #expect(hub.info(of: topic)?.rate == 1)
        clock.advance(by: .seconds(20))
        #expect(hub.info(of: topic)?.rate == 0)
    }

    @Test func `subscriptions are listed, the oldest first`() throws {
        try hub.topic("a")
        try hub.topic("b")
        let first = try Follower(hub, "a", "b")
        clock.advance(by: .seconds(2))
        let second = try Follower(hub, "b")
        let infos = hub.subscriptions()
        #expect(infos.map(\.id) == [first.subscription.id, second.subscription.id])
        #expect(infos.map { $0.topics.map(\.text) } == [["a", "b"], ["b"]])
        #expect(infos.map(\.since.millisecondsSinceEpoch) == [1_000, 3_000])
        #expect(hub.subscriptionCount == 2)
    }

    @Test func `lag is what was published and not yet taken`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        let follower = try Follower(hub, "a", "b")
        try hub.publish(1...3, to: a)
        try hub.publish("1", to: b)
        #expect(hub.subscriptions().first?.lag == 4)
        _ = follower.readOnce(maxBytes: 1)
        #expect(hub.subscriptions().first?.lag == 3)
        hub.removeTopic(a)
        #expect(hub.subscriptions().first?.lag == 1)
    }

    @Test func `a cancelled subscription is not listed`() throws {
        try hub.topic("a")
        let follower = try Follower(hub, "a")
        hub.cancel(id: follower.subscription.id)
        #expect(hub.subscriptions().isEmpty && hub.subscriptionCount == 0)
    }
}
