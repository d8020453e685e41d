import Hub
import TestSupport
import Testing

@testable import FanOut

struct GzipTests {
    let hub = Hub(epoch: "e")
    let topic: Topic

    init() throws {
        topic = try hub.makeTopic(
            TopicName("news"), access: .open, policy: .all, retention: Retention(maxEvents: 10_000, maxBytes: 16 << 20))
    }

    private func subscribe(after id: String? = nil) throws -> Subscription {
        try hub.subscribe(SubscriptionRequest(topics: [TopicName("news")], lastEventID: id))
    }

    /// Small, large and incompressible ones in turn.
    private func publish(_ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            var random = SplitMix(seed: UInt64(number))
            let noise = (0..<number % 3 * 400).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
            let padding = [UInt8](repeating: UInt8(ascii: "."), count: number % 5 * 500)
            hub.publish(try NewEvent(data: Array("n\(number) ".utf8) + noise + padding, isJSON: false), to: topic)
        }
    }

    private func text(_ body: [UInt8]?) -> String? {
        body.flatMap(gunzip).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a compressed stream says what a plain one says, chunked or not, whenever it began`() throws {
        let fanOut = FanOut(hub: hub)
        let plain = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        let chunked = Peer(of: fanOut, subscription: try subscribe(), isGzipped: true)
        try publish(1...50)
        let late = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        let lateGzipped = Peer(of: fanOut, subscription: try subscribe(), isChunked: false, isGzipped: true)
        try publish(51...100)
        let resumed = Peer(of: fanOut, subscription: try subscribe(after: "e-50"), isGzipped: true)
        hub.stop(topic)
        let (all, rest) = (plain.readToEnd(), late.readToEnd())
        #expect(all.hasSuffix(rest) && rest.hasSuffix("event: end\ndata: {\"reason\":\"stopped\"}\n\n"))
        _ = (chunked.readToEnd(), lateGzipped.readToEnd(), resumed.readToEnd())
        #expect(text(dechunkedBytes(chunked.received)) == all)
        #expect(text(lateGzipped.received) == rest)
        #expect(text(dechunkedBytes(resumed.received)) == rest)
        #expect(chunked.received.count < all.utf8.count)
    }

    @Test func `each event can be read as soon as it has come`() throws {
        let fanOut = FanOut(hub: hub)
        let peer = Peer(of: fanOut, subscription: try subscribe(), isChunked: false, isGzipped: true)
        let reader = Gunzip()
        for number in 1...20 {
            try publish(number...number)
            #expect(peer.read(until: "\ndata: n\(number) ", gunzipping: reader))
        }
    }

    @Test func `an event is compressed once, however many connections get it`() throws {
        let fanOut = FanOut(hub: hub)
        let peers = try (0..<20).map { _ in
            Peer(of: fanOut, subscription: try subscribe(), isChunked: false, isGzipped: true)
        }
        try publish(1...30)
        for peer in peers { #expect(peer.read(until: "\ndata: n30 ", gunzipping: Gunzip())) }
        hub.drain()
        fanOut.stop(within: .seconds(5))
        // Each connection's farewell is its own; events that were pending together are one frame. Without sharing there
        // would be as many more as there are connections.
        #expect((21...3 * 30 + 20).contains(Int(fanOut.counters.framesCompressed)))
    }

    @Test func `what nobody wants compressed is not`() throws {
        let fanOut = FanOut(hub: hub)
        let peer = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        try publish(1...30)
        #expect(peer.read(until: "\ndata: n30 "))
        hub.drain()
        fanOut.stop(within: .seconds(5))
        #expect(fanOut.counters.framesCompressed == 0)
    }

    @Test func `threads that share an event agree on its compressed form`() throws {
        var configuration = FanOutConfiguration()
        configuration.threads = 4
        let fanOut = FanOut(hub: hub, configuration: configuration)
        let plain = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        let peers = try (0..<16).map { _ in Peer(of: fanOut, subscription: try subscribe(), isGzipped: true) }
        try publish(1...60)
        hub.stop(topic)
        let all = plain.readToEnd()
        for peer in peers {
            _ = peer.readToEnd()
            #expect(text(dechunkedBytes(peer.received)) == all)
        }
    }

    @Test func `a silent connection gets comments, compressed like the rest`() throws {
        var configuration = FanOutConfiguration()
        configuration.heartbeatInterval = .milliseconds(40)
        let fanOut = FanOut(hub: hub, configuration: configuration)
        let subscription = try subscribe()
        let peer = Peer(of: fanOut, subscription: subscription, isChunked: false, isGzipped: true)
        #expect(peer.read(until: ":\n\n:\n\n:\n\n", gunzipping: Gunzip()))
        hub.cancel(id: subscription.id)
        _ = peer.readToEnd()
        let all = try #require(text(peer.received))
        #expect(all.hasSuffix(":\n\nevent: end\ndata: {\"reason\":\"cancelled\"}\n\n"))
    }

    @Test func `a slow reader's body is whole, although its writes fall short`() throws {
        let fanOut = FanOut(hub: hub)
        let slow = Peer(of: fanOut, subscription: try subscribe(), isGzipped: true, bufferBytes: 4_096)
        let quick = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        try publish(1...1_000)
        hub.stop(topic)
        let all = quick.readToEnd()
        _ = slow.readToEnd()
        #expect(text(dechunkedBytes(slow.received)) == all)
    }

    @Test func `a drain ends a compressed body properly, also one that had nothing to say`() throws {
        let fanOut = FanOut(hub: hub)
        let peer = Peer(of: fanOut, subscription: try subscribe(), isGzipped: true)
        hub.drain()
        fanOut.stop(within: .seconds(5))
        _ = peer.readToEnd()
        #expect(text(dechunkedBytes(peer.received))?.hasPrefix("retry: ") == true)
    }

    @Test func `a body is complete although nothing more is said at its end`() throws {
        let fanOut = FanOut(hub: hub)
        let peer = Peer(of: fanOut, subscription: try subscribe(), isChunked: false, isGzipped: true)
        hub.publish(try NewEvent(data: "last".utf8), to: topic)
        #expect(peer.read(until: "last\n\n", gunzipping: Gunzip()))
        hub.close(topic)
        _ = peer.readToEnd()
        #expect(text(peer.received) == "id: e-1\ndata: last\n\n")
    }

    @Test func `a body that was cut off has no trailer`() throws {
        let fanOut = FanOut(hub: hub)
        let peer = Peer(of: fanOut, subscription: try subscribe(), isChunked: false, isGzipped: true)
        let reader = Gunzip()
        try publish(1...5)
        #expect(peer.read(until: "\ndata: n5 ", gunzipping: reader))
        fanOut.stop(within: .zero)
        _ = peer.readToEnd()
        #expect(gunzip(peer.received) == nil)
        #expect(reader.status == .more)
    }
}
