import Hub
import Primitives
import TestSupport
import Testing

/// Many threads at once; the work is bounded, and every promise is checked. Meant for the thread sanitizer too.
@Suite struct StressTests {
    private static let perPublisher = 400

    /// What one reader has seen.
    private struct Tally {
        var last: [String: Int] = [:]
        var received = 0
        var isInOrder = true

        mutating func add(_ events: [ReceivedEvent]) {
            for event in events.published {
                let parts = event.data.split(separator: ".")
                let (publisher, value) = (String(parts[0]), Int(parts[1])!)
                isInOrder = isInOrder && value > last[publisher, default: -1]
                last[publisher] = value
                received += 1
            }
        }
    }

    @Test func `publishers, readers and cancels on many threads keep every promise`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", keeping: 64)
        let running = Locked(2)
        onThreads(6) { number in
            switch number {
            case 0...1:
                for value in 0..<Self.perPublisher { _ = try? hub.publish("\(number).\(value)", to: topic) }
                running.withLock { $0 -= 1 }
            case 2...3:
                guard let follower = try? Follower(hub, "a", policy: number == 2 ? .all : .latest) else {
                    return
                }
                var tally = Tally()
                while running.withLock({ $0 }) > 0 { tally.add(follower.read(maxBytes: 256)) }
                tally.add(follower.read())
                #expect(tally.isInOrder)
                let info = hub.subscriptions().first { $0.id == follower.subscription.id }
                #expect(info?.delivered == UInt64(tally.received) && info?.lag == 0)
                follower.leave()
            default:
                var random = SplitMix(seed: UInt64(number))
                for _ in 0..<200 {
                    guard let follower = try? Follower(hub, "a") else { return }
                    _ = follower.read(maxBytes: 64)
                    if random.chance(oneIn: 2) {
                        hub.cancel(id: follower.subscription.id)
                        #expect(follower.read().last?.name == "end")
                    }
                    follower.leave()
                }
            }
        }
        #expect(hub.subscriptionCount == 0)
        let info = try #require(hub.info(of: topic))
        #expect(info.subscribers == 0 && info.published == UInt64(2 * Self.perPublisher))
    }

    @Test func `no event crosses a stop on any thread`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let isDone = Locked(false)
        onThreads(4) { number in
            if number == 0 {
                for term in 0..<200 {
                    hub.start(topic)
                    _ = try? hub.publish("\(term)", to: topic)
                    hub.stop(topic)
                }
                isDone.withLock { $0 = true }
                return
            }
            while !isDone.withLock({ $0 }) {
                guard let follower = try? Follower(hub, "a") else { return }
                var events: [ReceivedEvent] = []
                while !follower.isOver && !isDone.withLock({ $0 }) { events += follower.read() }
                // Each term has one value: two would be of two terms.
                #expect(events.published.count <= 1)
                follower.leave()
            }
        }
        #expect(hub.subscriptionCount == 0 && hub.info(of: topic)?.subscribers == 0)
    }

    @Test func `streams cancelled from anywhere end, and none is left behind`() async throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a", policy: .latest)
        let name = topic.name
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                guard let stream = try? hub.events(SubscriptionRequest(topics: [name])) else { continue }
                let reader = Task {
                    var count = 0
                    for await _ in stream.events { count += 1 }
                    return count
                }
                group.addTask {
                    switch number % 3 {
                    case 0: reader.cancel()
                    case 1: hub.cancel(id: stream.id)
                    default: _ = try? hub.publish("\(number)", to: topic)
                    }
                    if number % 3 < 2 { _ = await reader.value }
                }
            }
        }
        hub.stop(topic)
        while hub.subscriptionCount > 0 { await Task.yield() }
        #expect(hub.info(of: topic)?.subscribers == 0)
    }
}
