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
