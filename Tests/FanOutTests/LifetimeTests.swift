import Hub
import Synchronization
import Testing

@testable import FanOut

struct LifetimeTests {
    let hub = Hub(epoch: "e")
    let topic: Topic

    init() throws {
        topic = try hub.makeTopic(TopicName("news"), access: .open, policy: .all)
    }

    private func subscribe() throws -> Subscription {
        try hub.subscribe(SubscriptionRequest(topics: [TopicName("news")]))
    }

    @Test func `a peer's leaving is noticed although nothing is published`() async throws {
        let fanOut = FanOut(hub: hub)
        let left = Signal()
        let peer = Peer(of: fanOut, subscription: try subscribe(), peerLeft: { left.raise() })
        #expect(hub.subscriptionCount == 1)
        peer.leave()
        await left.wait()
        #expect(hub.subscriptionCount == 0)
    }

    @Test func `a peer that has left before its socket came is noticed too`() async throws {
        let fanOut = FanOut(hub: hub)
        for _ in 0..<50 {
            let left = Signal()
            Peer(of: fanOut, subscription: try subscribe(), peerLeft: { left.raise() }).leave()
            await left.wait()
        }
        #expect(hub.subscriptionCount == 0)
    }

    @Test func `nobody is told of a leaving when the subscription has ended`() throws {
        let fanOut = FanOut(hub: hub)
        let calls = Counter()
        let subscription = try subscribe()
        let peer = Peer(of: fanOut, subscription: subscription, peerLeft: { calls.add() })
        hub.cancel(id: subscription.id)
        _ = peer.readToEnd()
        fanOut.stop(within: .seconds(1))
        #expect(calls.value == 0)
    }

    @Test func `a silent connection gets comments`() throws {
        var configuration = FanOutConfiguration()
        configuration.heartbeatInterval = .milliseconds(40)
        let fanOut = FanOut(hub: hub, configuration: configuration)
        let peer = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        #expect(peer.read(until: ":\n\n:\n\n:\n\n"))
        hub.publish(try NewEvent(data: "x".utf8), to: topic)
        #expect(peer.read(until: "id: e-1\ndata: x\n\n"))
    }

    @Test func `a drain ends every connection with a time to come back at`() throws {
        var configuration = FanOutConfiguration()
        configuration.threads = 2
        let fanOut = FanOut(hub: hub, configuration: configuration)
        let peers = try (0..<50).map { _ in Peer(of: fanOut, subscription: try subscribe()) }
        hub.drain()
        fanOut.stop(within: .seconds(5))
        for peer in peers {
            _ = peer.readToEnd()
            let body = try #require(dechunked(peer.received))
            let milliseconds = try #require(
                Int(body.dropFirst("retry: ".count).prefix { $0.isNumber }))
            #expect(body == "retry: \(milliseconds)\n\n")
            #expect(1_000...5_000 ~= milliseconds)
        }
        #expect(hub.subscriptionCount == 0)
    }

    @Test func `a stop cuts off who does not read, within its bound`() throws {
        let fanOut = FanOut(hub: hub)
        let stuck = Peer(of: fanOut, subscription: try subscribe(), bufferBytes: 4_096)
        let padding = String(repeating: ".", count: 10_000)
        for _ in 0..<50 { hub.publish(try NewEvent(data: padding.utf8), to: topic) }
        hub.drain()
        fanOut.stop(within: .milliseconds(100))
        #expect(fanOut.counters.connections == 0)
        #expect(hub.subscriptionCount == 0)
        withExtendedLifetime(stuck) {}
    }

    @Test func `connections are spread over the threads`() throws {
        var configuration = FanOutConfiguration()
        configuration.threads = 3
        let fanOut = FanOut(hub: hub, configuration: configuration)
        let peers = try (0..<30).map { _ in
            Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        }
        for number in 1...20 { hub.publish(try NewEvent(data: "n\(number).".utf8), to: topic) }
        for peer in peers { #expect(peer.read(until: "n20.")) }
        hub.drain()
        fanOut.stop(within: .seconds(5))
        #expect(fanOut.counters.eventsWritten == 600)
    }

    @Test func `a slot used again does not inherit its predecessor's news`() throws {
        let fanOut = FanOut(hub: hub)
        for round in 1...100 {
            let first = try subscribe()
            let peer = Peer(of: fanOut, subscription: first, isChunked: false)
            let next = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
            // The end of the first and the second's event race for the slot.
            hub.cancel(id: first.id)
            hub.publish(try NewEvent(data: "r\(round).".utf8), to: topic)
            #expect(peer.readToEnd().hasSuffix("event: end\ndata: {\"reason\":\"cancelled\"}\n\n"))
            #expect(next.read(until: "r\(round).\n\n"))
        }
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}
