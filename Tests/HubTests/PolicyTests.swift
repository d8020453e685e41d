import Hub
import TestSupport
import Primitives
import Testing

@Suite struct PolicyTests {
    @Test func `latest gives the newest and counts what it left out`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", policy: .latest)
        let follower = try Follower(hub, "a")
        try hub.publish(1...5, to: topic)
        #expect(follower.read().map(\.data) == ["5"])
        let info = try #require(hub.subscriptions().first)
        #expect(info.delivered == 1 && info.conflated == 4 && info.lag == 0)
    }

    @Test func `latest counts what was evicted before it looked`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", policy: .latest, keeping: 2)
        let follower = try Follower(hub, "a")
        try hub.publish(1...10, to: topic)
        #expect(follower.read().texts == ["10"])
        #expect(hub.subscriptions().first?.conflated == 9)
    }

    @Test func `the hub counts what all subscriptions were not given, those that have left included`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", keeping: 2)
        let latest = try (0..<2).map { _ in try Follower(hub, "a", policy: .latest) }
        let all = try Follower(hub, "a", policy: .all)
        try hub.publish(1...5, to: topic)
        #expect(hub.counters.conflated == 0 && hub.counters.gaps == 0)
        for follower in latest { #expect(follower.read().texts == ["5"]) }
        #expect(hub.counters.conflated == 8 && hub.counters.gaps == 0)
        #expect(all.read().count == 3)
        #expect(hub.counters.conflated == 8 && hub.counters.gaps == 1)
        for follower in latest + [all] { hub.detach(follower.subscription.handle) }
        #expect(hub.counters.conflated == 8 && hub.counters.gaps == 1)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `latest never reorders or repeats`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let hub = Hub.forTests()
        let topic = try hub.topic("a", policy: .latest, keeping: 3)
        let follower = try Follower(hub, "a")
        var seen: [Int] = []
        for value in 1...200 {
            try hub.publish("\(value)", to: topic)
            if random.chance(oneIn: 4) { seen += follower.read().compactMap { Int($0.data) } }
        }
        seen += follower.read().compactMap { Int($0.data) }
        #expect(zip(seen, seen.dropFirst()).allSatisfy(<))
        #expect(seen.last == 200)
        let info = try #require(hub.subscriptions().first)
        #expect(Int(info.delivered) == seen.count && info.delivered + info.conflated == 200)
    }

    @Test func `all gives every event in order`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        try hub.publish(1...50, to: topic)
        #expect(follower.read(maxBytes: 1).map(\.data) == (1...50).map(String.init))
    }

    @Test func `all reports a gap for what the log has lost`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", keeping: 3)
        let follower = try Follower(hub, "a")
        try hub.publish(1...2, to: topic)
        #expect(follower.read().map(\.data) == ["1", "2"])
        try hub.publish(3...9, to: topic)
        #expect(
            follower.read().texts == [
                #"gap {"topic":"a","from":"e-2","to":"e-7","reason":"evicted"}"#, "7", "8", "9",
            ])
    }

    @Test func `a gap before the first event comes from nowhere`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", keeping: 1)
        let follower = try Follower(hub, "a")
        try hub.publish(1...2, to: topic)
        #expect(
            follower.read().texts == [#"gap {"topic":"a","from":null,"to":"e-2","reason":"evicted"}"#, "2"])
    }

    @Test func `a gap leaves the last id as it was`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", keeping: 1)
        let follower = try Follower(hub, "a")
        try hub.publish("1", to: topic)
        _ = follower.read()
        try hub.publish(2...3, to: topic)
        #expect(follower.read().map(\.id) == ["e-1", "e-3"])
    }

    @Test func `a subscription's own policy goes before the topic's`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", policy: .latest)
        let (all, latest) = (try Follower(hub, "a", policy: .all), try Follower(hub, "a"))
        try hub.publish(1...3, to: topic)
        #expect(all.read().count == 3 && latest.read().count == 1)
        #expect(all.subscription.policy == .all && latest.subscription.policy == .latest)
    }

    @Test func `pending events leave in one delivery`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        try hub.publish(1...9, to: topic)
        let delivery = hub.take(follower.subscription.handle, maxBytes: 1 << 16)
        #expect(
            delivery.eventCount == 9 && delivery.frames.count == 1 && !delivery.hasMore && !delivery.isLast)
    }

    @Test func `a delivery stops after the event that fills it`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        try hub.publish(1...9, to: topic)
        let size = hub.take(follower.subscription.handle, maxBytes: 1).frames[0].bytes.count
        let delivery = hub.take(follower.subscription.handle, maxBytes: 2 * size + 1)
        #expect(delivery.eventCount == 3 && delivery.hasMore)
    }

    @Test func `a delivery holds at least one event`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        try hub.publish(1...2, to: topic)
        #expect(hub.take(follower.subscription.handle, maxBytes: 0).eventCount == 1)
        #expect(hub.take(follower.subscription.handle, maxBytes: 0).eventCount == 1)
    }

    @Test func `subscribers that read nothing leave the log as it is`() throws {
        let hub = Hub.forTests()
        let (followed, alone) = (try hub.topic("followed", keeping: 8), try hub.topic("alone", keeping: 8))
        let followers = try (0..<50).map { _ in try Follower(hub, "followed") }
        try hub.publish(1...1_000, to: followed)
        try hub.publish(1...1_000, to: alone)
        #expect(hub.info(of: followed)?.retained == hub.info(of: alone)?.retained)
        #expect(followers.allSatisfy { $0.driver.advanced.count == 1_000 })
        #expect(hub.subscriptions().allSatisfy { $0.lag == 1_000 })
    }
}
