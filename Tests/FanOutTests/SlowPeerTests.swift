import Hub
import Testing

@testable import FanOut

struct SlowPeerTests {
    let hub = Hub(epoch: "e")
    let topic: Topic

    init() throws {
        topic = try hub.makeTopic(
            TopicName("news"), access: .open, policy: .all, retention: Retention(maxEvents: 10_000))
    }

    private func subscribe(_ policy: DeliveryPolicy) throws -> Subscription {
        try hub.subscribe(SubscriptionRequest(topics: [TopicName("news")], policy: policy))
    }

    private func publish(_ number: Int) throws {
        let padding = String(repeating: ".", count: 1_000)
        hub.publish(try NewEvent(data: "n\(number)\(padding)".utf8), to: topic)
    }

    private func numbers(in text: String) -> [Int] {
        text.split(separator: "\n").compactMap { line in
            line.hasPrefix("data: n") ? Int(line.dropFirst(7).prefix { $0.isNumber }) : nil
        }
    }

    @Test func `under latest a slow reader skips values and ends up with the newest`() throws {
        let fanOut = FanOut(hub: hub)
        let slow = Peer(of: fanOut, subscription: try subscribe(.latest), isChunked: false, bufferBytes: 4_096)
        let quick = Peer(of: fanOut, subscription: try subscribe(.all), isChunked: false)
        for number in 1...500 {
            try publish(number)
            // The quick reader keeps pace, which shows that the slow one holds nobody up.
            if number % 50 == 0 { #expect(quick.read(until: "n\(number).")) }
        }
        #expect(slow.read(until: "n500."))
        let got = numbers(in: slow.text)
        #expect(got.count < 500)
        #expect(got == got.sorted())
        #expect(Set(got).count == got.count)
    }

    @Test func `under all a slow reader gets every event, several in one write`() throws {
        let fanOut = FanOut(hub: hub)
        let slow = Peer(of: fanOut, subscription: try subscribe(.all), isChunked: false, bufferBytes: 4_096)
        let quick = Peer(of: fanOut, subscription: try subscribe(.all), isChunked: false)
        for number in 1...500 { try publish(number) }
        #expect(quick.read(until: "n500."))
        #expect(slow.read(until: "n500."))
        #expect(numbers(in: slow.text) == Array(1...500))
    }

    @Test func `many peers with a backlog each get every event once, in order`() throws {
        let fanOut = FanOut(hub: hub)
        // More than fit in one batch, and with more events each than one batch takes.
        let peers = try (0..<2 * Batch.capacity + 5).map { _ in
            Peer(of: fanOut, subscription: try subscribe(.all), isChunked: false)
        }
        let last = 3 * Batch.maxFrames
        // Short ones, so that all of them fit into the buffers of the peers that are read last.
        for number in 1...last { hub.publish(try NewEvent(data: "n\(number)".utf8), to: topic) }
        for peer in peers {
            #expect(peer.read(until: "n\(last)\n"))
            #expect(numbers(in: peer.text) == Array(1...last))
        }
    }

    @Test func `a batch takes no more than its bound, and says who has to wait`() throws {
        // Of two topics, so that each event is a frame of its own.
        try hub.makeTopic(TopicName("other"), access: .open, policy: .all)
        let subscriptions = try (0..<4).map { _ in
            try hub.subscribe(SubscriptionRequest(topics: [TopicName("news"), TopicName("other")], policy: .all))
        }
        for number in 1...Batch.maxFrames / 2 { try publish(number) }
        var batch = Batch()
        for (slot, subscription) in subscriptions.enumerated() {
            batch.append(slot, subscription.handle, position: 9 - slot)
        }
        #expect(batch.take(from: hub, maxBytes: 1 << 20, through: .max) == 7)
        #expect(batch.popLast()?.slot == 1)
        #expect(batch.popLast()?.delivery.eventCount == Batch.maxFrames / 2)
        #expect(batch.popLast()?.slot == nil)
        batch.append(2, subscriptions[2].handle, position: 7)
        #expect(batch.take(from: hub, maxBytes: 1 << 20, through: .max) == nil)
        #expect(batch.popLast()?.slot == 2)
    }

    @Test func `a peer that never reads is cut off, counted, and its subscription is gone`() async throws {
        var configuration = FanOutConfiguration()
        configuration.stallTimeout = .milliseconds(100)
        let fanOut = FanOut(hub: hub, configuration: configuration)
        let left = Signal()
        let peer = Peer(
            of: fanOut, subscription: try subscribe(.all), bufferBytes: 4_096, peerLeft: { left.raise() })
        for number in 1...100 { try publish(number) }
        await left.wait()
        #expect(hub.subscriptionCount == 0)
        peer.leave()
        fanOut.stop(within: .seconds(1))
        #expect(fanOut.counters.stalled == 1)
        #expect(fanOut.counters.connections == 0)
    }
}
