import Hub
import TestSupport
import Testing

/// Several topics, one id: whatever the order of events and wherever the connection is cut, nothing is lost
/// or repeated.
@Suite struct ResumingModelTests {
    private struct World {
        let hub = Hub.forTests()
        let names = ["a", "b", "c"]
        let topics: [Topic]
        var published: [(id: String, topic: String)] = []

        init(keeping maxEvents: Int = 1_024) throws {
            topics = try ["a", "b", "c"].map { [hub] in try hub.topic($0, keeping: maxEvents) }
        }

        mutating func publish(_ count: Int, _ random: inout SplitMix) throws {
            for _ in 0..<count {
                let topic = topics.randomElement(using: &random)!
                let own = random.chance(oneIn: 3) ? "own.\(published.count)" : nil
                try hub.publish("0", to: topic, id: own)
                published.append(("e-\(published.count + 1)", topic.name.text))
            }
        }

        func follower(after id: String? = nil) throws -> Follower {
            try Follower(hub, "a", "b", "c", after: id)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a stream cut at any event resumes by its last id`(seed: UInt64) throws {
        for cut in 1...24 {
            var random = SplitMix(seed: seed)
            var world = try World()
            let first = try world.follower()
            try world.publish(24, &random)
            var seen: [String] = []
            while seen.count < cut { seen += first.readOnce(maxBytes: 1).map(\.id) }
            first.leave()
            try world.publish(6, &random)
            seen += try world.follower(after: first.lastEventID).read().map(\.id)
            #expect(seen == world.published.map(\.id))
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a stream cut again and again loses and repeats nothing`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var world = try World()
        var follower = try world.follower()
        var seen: [String] = []
        for _ in 0..<60 {
            try world.publish(.random(in: 0...4, using: &random), &random)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                seen += follower.readOnce(maxBytes: .random(in: 1...200, using: &random)).map(\.id)
            }
            if random.chance(oneIn: 3), !follower.lastEventID.isEmpty {
                follower.leave()
                follower = try world.follower(after: follower.lastEventID)
            }
        }
        seen += follower.read().map(\.id)
        #expect(seen == world.published.map(\.id))
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `what a short log has lost is never passed over in silence`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var world = try World(keeping: 3)
        var follower = try world.follower()
        var (seen, gaps): (Set<String>, Set<String>) = ([], [])
        var order: [Int] = []
        func read(_ events: [ReceivedEvent]) {
            for event in events.published {
                seen.insert(event.id)
                order.append(Int(event.id.dropFirst(2))!)
            }
            for gap in events where gap.name == "gap" {
                for name in world.names where gap.data.hasPrefix(#"{"topic":"\#(name)""#) {
                    gaps.insert(name)
                }
            }
        }
        for _ in 0..<30 {
            try world.publish(.random(in: 0...7, using: &random), &random)
            read(follower.readOnce(maxBytes: .random(in: 1...200, using: &random)))
            if random.chance(oneIn: 3), !follower.lastEventID.isEmpty {
                follower.leave()
                follower = try world.follower(after: follower.lastEventID)
            }
        }
        read(follower.read())
        let lost = world.published.filter { !seen.contains($0.id) }
        #expect(zip(order, order.dropFirst()).allSatisfy(<))
        #expect(gaps.isSuperset(of: lost.map(\.topic)))
        // A topic that has lost nothing reports no gap.
        #expect(gaps.isSubset(of: lost.map(\.topic)))
    }
}
