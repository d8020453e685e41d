import Hub
import Testing

@testable import FanOut

struct DeliveryTests {
    let hub = Hub(epoch: "e")
    let fanOut: FanOut
    let topic: Topic

    init() throws {
        fanOut = FanOut(hub: hub)
        topic = try hub.makeTopic(TopicName("news"), access: .open, policy: .all)
    }

    private func subscribe(_ policy: DeliveryPolicy = .all, limit: Int? = nil) throws -> Subscription {
        try hub.subscribe(SubscriptionRequest(topics: [TopicName("news")], policy: policy, limit: limit))
    }

    private func publish(_ text: String) throws { hub.publish(try NewEvent(data: text.utf8), to: topic) }

    @Test func `an event arrives as a chunk on HTTP 1.1`() throws {
        let peer = Peer(of: fanOut, subscription: try subscribe())
        try publish("hello")
        #expect(peer.read(until: "\n\n\r\n"))
        #expect(peer.text == "15\r\nid: e-1\ndata: hello\n\n\r\n")
    }

    @Test func `an event arrives bare on HTTP 1.0`() throws {
        let peer = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        try publish("hello")
        #expect(peer.read(until: "\n\n"))
        #expect(peer.text == "id: e-1\ndata: hello\n\n")
    }

    @Test func `the greeting goes first, then what was published before the socket came`() throws {
        let subscription = try subscribe()
        try publish("early")
        let peer = Peer(
            of: fanOut, subscription: subscription, isChunked: false,
            greeting: Frame.greeting(subscription, retryMilliseconds: 5))
        #expect(peer.read(until: "early\n\n"))
        #expect(peer.text.hasPrefix("retry: 5\nevent: subscribed\ndata: {\"subscription\":\"\(subscription.id)\""))
    }

    @Test func `a one-shot waiter gets one event and a proper end, the topic goes on`() throws {
        let once = Peer(of: fanOut, subscription: try subscribe(limit: 1))
        let other = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        try publish("first")
        try publish("second")
        let body = try #require(
            {
                _ = once.readToEnd(); return dechunked(once.received)
            }())
        #expect(body == "id: e-1\ndata: first\n\nevent: end\ndata: {\"reason\":\"limit\"}\n\n")
        #expect(other.read(until: "second\n\n"))
    }

    @Test func `cancelling one subscription ends its connection and no other`() throws {
        let (a, b) = (try subscribe(), try subscribe())
        let (peerA, peerB) = (
            Peer(of: fanOut, subscription: a), Peer(of: fanOut, subscription: b, isChunked: false)
        )
        #expect(hub.cancel(id: a.id))
        #expect(!hub.cancel(id: a.id))
        _ = peerA.readToEnd()
        #expect(dechunked(peerA.received) == "event: end\ndata: {\"reason\":\"cancelled\"}\n\n")
        try publish("on")
        #expect(peerB.read(until: "on\n\n"))
    }

    @Test func `stopping the topic ends every connection after what was published`() throws {
        let peers = try (0..<20).map { _ in Peer(of: fanOut, subscription: try subscribe()) }
        try publish("last")
        hub.stop(topic)
        for peer in peers {
            _ = peer.readToEnd()
            #expect(
                dechunked(peer.received)
                    == "id: e-1\ndata: last\n\nevent: end\ndata: {\"reason\":\"stopped\"}\n\n")
        }
    }

    @Test func `every one of many subscribers gets every event in order`() throws {
        let peers = try (0..<200).map { _ in
            Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        }
        for number in 1...100 { try publish("n\(number).") }
        let expected = (1...100).map { "id: e-\($0)\ndata: n\($0).\n\n" }.joined()
        for peer in peers {
            #expect(peer.read(until: "n100.\n\n"))
            #expect(peer.text == expected)
        }
    }

    @Test func `a connection to several topics gets them all, each told apart`() throws {
        let other = try hub.makeTopic(TopicName("more/news"), access: .open, policy: .all)
        let subscription = try hub.subscribe(
            SubscriptionRequest(topics: [TopicName("news"), TopicName("more/news")]))
        let peer = Peer(of: fanOut, subscription: subscription, isChunked: false)
        try publish("1")
        hub.publish(try NewEvent(name: "x", data: "2".utf8), to: other)
        try publish("3")
        #expect(peer.read(until: "\"data\":3}\n\n"))
        #expect(
            peer.text == "id: e-1\ndata: {\"topic\":\"news\",\"id\":\"e-1\",\"data\":1}\n\n"
                + "id: e-2\nevent: x\ndata: {\"topic\":\"more/news\",\"id\":\"e-2\",\"data\":2}\n\n"
                + "id: e-3\ndata: {\"topic\":\"news\",\"id\":\"e-3\",\"data\":3}\n\n")
    }
}
