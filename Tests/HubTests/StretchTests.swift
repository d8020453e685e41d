import Primitives
import Testing

@testable import Hub

/// Subscribers at the same place share one frame of all that is pending.
struct StretchTests {
    let hub = Hub.forTests()
    let topic: Topic

    init() throws { topic = try hub.topic("a") }

    private func take(
        _ followers: [Follower], maxBytes: Int = .max, through position: Position = .max
    ) -> [Delivery] {
        var deliveries: [Delivery] = []
        hub.take(
            followers.map(\.subscription.handle), maxBytes: maxBytes, through: position, maxFrames: .max,
            into: &deliveries)
        return deliveries
    }

    private func data(_ delivery: Delivery) -> [String] {
        delivery.frames.flatMap(StreamEvent.events(in:)).map(\.data)
    }

    @Test func `who stands at the same place gets the same frame`() throws {
        let followers = try (0..<3).map { _ in try Follower(hub, "a") }
        try hub.publish(1...5, to: topic)
        let deliveries = take(followers)
        for delivery in deliveries {
            #expect(data(delivery) == ["1", "2", "3", "4", "5"] && delivery.eventCount == 5)
            #expect(delivery.frames.count == 1 && delivery.frames[0] === deliveries[0].frames[0])
        }
        #expect(take(followers).allSatisfy { $0.frames.isEmpty })
    }

    @Test func `what is newer than the pass waits, so that all stay in step`() throws {
        let (early, late) = (try Follower(hub, "a"), try Follower(hub, "a"))
        try hub.publish(1...3, to: topic)
        let passEnd = hub.position
        #expect(data(take([early], through: passEnd)[0]) == ["1", "2", "3"])
        try hub.publish(4...5, to: topic)
        #expect(data(take([late], through: passEnd)[0]) == ["1", "2", "3"])
        #expect(take([early, late], through: passEnd).allSatisfy { $0.frames.isEmpty && !$0.isLast })
        let next = take([early, late])
        #expect(data(next[0]) == ["4", "5"] && next[0].frames[0] === next[1].frames[0])
    }

    @Test func `one who stands elsewhere gets what it lacks, and no more`() throws {
        let ahead = try Follower(hub, "a")
        let behind = try Follower(hub, "a")
        try hub.publish(1...2, to: topic)
        _ = take([ahead])
        try hub.publish(3...5, to: topic)
        let deliveries = take([ahead, behind])
        #expect([data(deliveries[0]), data(deliveries[1])] == [["3", "4", "5"], ["1", "2", "3", "4", "5"]])
    }

    @Test func `a limit cuts a stretch that others have whole`() throws {
        let (all, three) = (try Follower(hub, "a"), try Follower(hub, "a", limit: 3))
        try hub.publish(1...5, to: topic)
        let deliveries = take([all, three])
        #expect(data(deliveries[0]) == ["1", "2", "3", "4", "5"])
        #expect(data(deliveries[1]) == ["1", "2", "3", #"{"reason":"limit"}"#] && deliveries[1].isLast)
    }

    @Test func `a stretch ends where a topic was stopped for those who followed then`() throws {
        let (before, log) = (try Follower(hub, "a"), try Follower(hub, "a"))
        try hub.publish(1...2, to: topic)
        hub.stop(topic)
        hub.start(topic)
        try hub.publish(3...4, to: topic)
        let after = try Follower(hub, "a", after: "e-0")
        #expect(data(take([after])[0]).suffix(4) == ["1", "2", "3", "4"])
        for follower in [before, log] {
            #expect(data(take([follower])[0]) == ["1", "2", #"{"reason":"stopped"}"#])
        }
    }

    @Test func `what is withdrawn is in no stretch from then on`() throws {
        let (first, second) = (try Follower(hub, "a"), try Follower(hub, "a"))
        for number in 1...4 {
            hub.publish(
                try NewEvent(data: "\(number)".utf8, withdrawalTag: number == 3 ? 1 : 0), to: topic)
        }
        #expect(data(take([first])[0]) == ["1", "2", "3", "4"])
        hub.withdraw(from: topic, taggedBelow: 2)
        let rest = data(take([second])[0])
        #expect(!rest.contains("3") && rest.first == "1" && rest.last == "4")
    }

    @Test func `the bytes of a delivery bound a stretch`() throws {
        let follower = try Follower(hub, "a")
        try hub.publish(1...100, to: topic)
        var seen: [String] = []
        while true {
            let delivery = take([follower], maxBytes: 200)[0]
            if delivery.frames.isEmpty { break }
            #expect(delivery.frames.reduce(0) { $0 + $1.bytes.count } < 300)
            seen += data(delivery)
        }
        #expect(seen == (1...100).map(String.init))
    }

    @Test func `who may take less does not get what was made for another`() throws {
        let (much, little) = (try Follower(hub, "a"), try Follower(hub, "a"))
        try hub.publish(1...5, to: topic)
        #expect(data(take([much])[0]).count == 5)
        #expect(data(take([little], maxBytes: 1)[0]) == ["1"])
        #expect(data(take([little])[0]) == ["2", "3", "4", "5"])
    }

    @Test func `a drain leaves nothing out that came after the pass had begun`() throws {
        let follower = try Follower(hub, "a")
        try hub.publish(1...2, to: topic)
        let passEnd = hub.position
        try hub.publish(3...4, to: topic)
        hub.drain()
        let delivery = take([follower], through: passEnd)[0]
        #expect(data(delivery) == ["1", "2", "3", "4"] && delivery.isLast)
    }
}
