import Hub
import Testing

@Suite struct GreetingTests {
    @Test func `the greeting tells the subscription, its topics and its policy`() throws {
        let hub = Hub.forTests()
        try hub.topic("a", policy: .latest)
        try hub.topic("feeds/b", policy: .all)
        let follower = try Follower(hub, "a", "feeds/b")
        let greeting = Frame.greeting(follower.subscription, retryMilliseconds: 2_500)
        var parser = EventStreamParser()
        let events = parser.feed(greeting.bytes[greeting.textRange])
        let id = hub.subscriptions()[0].id
        #expect(
            events == [
                ReceivedEvent(
                    id: "", name: "subscribed",
                    data: #"{"subscription":"\#(id)","topics":["a","feeds/b"],"policy":"all"}"#)
            ])
        #expect(parser.reconnectionMilliseconds == 2_500)
    }
}
