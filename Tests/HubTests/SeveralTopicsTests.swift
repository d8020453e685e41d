import Hub
import Testing

@Suite struct SeveralTopicsTests {
    private let hub = Hub.forTests()

    @Test func `each event comes in an envelope with an id that resumes all`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("feeds/b"))
        let follower = try Follower(hub, "a", "feeds/b")
        hub.publish(try NewEvent(name: "tick", data: #"{"n":1}"#.utf8), to: a)
        hub.publish(try NewEvent(data: "7".utf8, id: "own"), to: b)
        #expect(
            follower.read() == [
                ReceivedEvent(id: "e-1", name: "tick", data: #"{"topic":"a","id":"e-1","data":{"n":1}}"#),
                ReceivedEvent(id: "e-2", name: "message", data: #"{"topic":"feeds/b","id":"own","data":7}"#),
            ])
    }

    @Test func `text that is not JSON is quoted in its envelope`() throws {
        let a = try hub.topic("a")
        try hub.topic("b")
        let follower = try Follower(hub, "a", "b")
        hub.publish(try NewEvent(data: "é \"\\\t\u{1}\u{7F}\r\nx".utf8, isJSON: false), to: a)
        #expect(
            follower.read().map(\.data)
                == [#"{"topic":"a","id":"e-1","data":"é \"\\\u0009\u0001"# + "\u{7F}" + #"\u000ax"}"#])
    }

    @Test(arguments: ["\u{301}", "\u{200D}x", "", "data: \u{FE0F}"])
    func `text of any beginning comes in an envelope`(text: String) throws {
        let a = try hub.topic("a")
        try hub.topic("b")
        let follower = try Follower(hub, "a", "b")
        hub.publish(try NewEvent(data: text.utf8, isJSON: false), to: a)
        #expect(follower.read().map(\.data) == [#"{"topic":"a","id":"e-1","data":""# + text + "\"}"])
    }

    @Test func `JSON of several lines stays the same JSON`() throws {
        let a = try hub.topic("a")
        try hub.topic("b")
        let follower = try Follower(hub, "a", "b")
        hub.publish(try NewEvent(data: "{\n  \"n\": 1\r\n}".utf8), to: a)
        #expect(follower.read().map(\.data) == ["{\"topic\":\"a\",\"id\":\"e-1\",\"data\":{\n  \"n\": 1\n}}"])
    }

    @Test func `one topic alone comes without an envelope`() throws {
        let a = try hub.topic("a")
        let follower = try Follower(hub, "a", "a")
        try hub.publish("1", to: a)
        #expect(follower.read().map(\.data) == ["1"])
    }

    @Test func `events come in the order they were published`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        let follower = try Follower(hub, "b", "a")
        for (index, topic) in [a, b, b, a, b].enumerated() { try hub.publish("\(index)", to: topic) }
        #expect(follower.read(maxBytes: 1).map(\.id) == (1...5).map { "e-\($0)" })
    }

    @Test func `each topic has its own policy`() throws {
        let (ticks, jobs) = (try hub.topic("ticks", policy: .latest), try hub.topic("jobs", policy: .all))
        let follower = try Follower(hub, "ticks", "jobs")
        for value in 1...3 {
            try hub.publish("\(value)", to: ticks)
            try hub.publish("\(value)", to: jobs)
        }
        #expect(follower.read().map(\.id) == ["e-2", "e-4", "e-5", "e-6"])
        #expect(follower.subscription.policy == .all)
    }

    @Test func `a topic that ends leaves the others going`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        let follower = try Follower(hub, "a", "b")
        hub.stop(a)
        #expect(follower.read().texts == [#"topicEnded {"topic":"a","reason":"stopped"}"#])
        try hub.publish("1", to: b)
        #expect(follower.read().count == 1)
        hub.close(b)
        #expect(
            follower.read().texts == [
                #"topicEnded {"topic":"b","reason":"done"}"#, #"end {"reason":"done"}"#,
            ])
        #expect(follower.isOver)
    }

    @Test func `a topic that ended no longer counts the subscription`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        let follower = try Follower(hub, "a", "b")
        hub.stop(a)
        _ = follower.read()
        hub.start(a)
        #expect(try hub.publish("1", to: a)?.matched == 0)
        #expect(try hub.publish("1", to: b)?.matched == 1)
        #expect(follower.driver.advanced == ["a", "b"])
        follower.leave()
        #expect(hub.info(of: a)?.subscribers == 0 && hub.info(of: b)?.subscribers == 0)
    }

    @Test func `one id of a single topic resumes several`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        let single = try Follower(hub, "a")
        for topic in [a, b, a, b] { try hub.publish("x", to: topic) }
        _ = single.readOnce(maxBytes: 1)
        let several = try Follower(hub, "a", "b", after: single.lastEventID)
        #expect(several.read().map(\.id) == ["e-2", "e-3", "e-4"])
    }

    @Test func `an own id of a single topic resumes several`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        try hub.publish("1", to: b)
        try hub.publish("2", to: a, id: "own")
        try hub.publish("3", to: b)
        #expect(try Follower(hub, "b", "a", after: "own").read().map(\.id) == ["e-3"])
    }

    @Test func `a gap is of one topic`() throws {
        let (a, b) = (try hub.topic("a", keeping: 1), try hub.topic("b"))
        for topic in [b, a, a, b] { try hub.publish("x", to: topic) }
        let events = try Follower(hub, "b", "a", after: "e-1").read()
        #expect(events.first?.data == #"{"topic":"a","from":"e-1","to":"e-3","reason":"evicted"}"#)
        #expect(events.published.map(\.id) == ["e-3", "e-4"])
    }
}
