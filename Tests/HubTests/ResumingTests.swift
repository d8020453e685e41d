import Hub
import Testing

@Suite struct ResumingTests {
    private let hub = Hub.forTests()

    @Test func `the hub's id resumes after its event`() throws {
        let topic = try hub.topic("a")
        try hub.publish(1...5, to: topic)
        #expect(try Follower(hub, "a", after: "e-3").read().texts == ["4", "5"])
    }

    @Test func `an own id resumes after its event`() throws {
        let topic = try hub.topic("a")
        for value in 1...4 { try hub.publish("\(value)", to: topic, id: "1-\(value)") }
        #expect(try Follower(hub, "a", after: "1-2").read().texts == ["3", "4"])
    }

    @Test func `the hub's id of an event with an own id resumes too`() throws {
        let topic = try hub.topic("a")
        for value in 1...3 { try hub.publish("\(value)", to: topic, id: "1-\(value)") }
        #expect(try Follower(hub, "a", after: "e-2").read().texts == ["3"])
    }

    @Test func `the newest id resumes with nothing`() throws {
        let topic = try hub.topic("a")
        try hub.publish(1...3, to: topic)
        let follower = try Follower(hub, "a", after: "e-3")
        #expect(follower.read().isEmpty)
        try hub.publish("4", to: topic)
        #expect(follower.read().texts == ["4"])
    }

    @Test func `latest resumes with the newest, without a gap`() throws {
        let topic = try hub.topic("a", policy: .latest, keeping: 2)
        try hub.publish(1...9, to: topic)
        #expect(try Follower(hub, "a", after: "e-1").read().texts == ["9"])
    }

    @Test func `an evicted place gives a gap and what is left`() throws {
        let topic = try hub.topic("a", keeping: 2)
        try hub.publish(1...6, to: topic)
        #expect(
            try Follower(hub, "a", after: "e-2").read().texts == [
                #"gap {"topic":"a","from":"e-2","to":"e-5","reason":"evicted"}"#, "5", "6",
            ])
    }

    @Test func `the last evicted event's id resumes without a gap`() throws {
        let topic = try hub.topic("a", keeping: 2)
        try hub.publish(1...6, to: topic)
        #expect(try Follower(hub, "a", after: "e-4").read().texts == ["5", "6"])
    }

    @Test(arguments: [
        ("old-2", "restarted"), ("e-99", "unknown"), ("7-1", "unknown"), ("x", "unknown"), ("e-", "unknown"),
        ("-1", "unknown"), ("e-18446744073709551616", "unknown"),
    ])
    func `an id of no place gives a gap and all that is kept`(id: String, reason: String) throws {
        let topic = try hub.topic("a")
        try hub.publish(1...2, to: topic)
        #expect(
            try Follower(hub, "a", after: id).read().texts == [
                #"gap {"topic":"a","from":"\#(id)","to":"e-1","reason":"\#(reason)"}"#, "1", "2",
            ])
    }

    @Test(arguments: ["\"},\"x\":\"", "e-1\nevent: end", "é", String(repeating: "1", count: 129)])
    func `an id outside the alphabet is never sent back`(id: String) throws {
        let topic = try hub.topic("a")
        try hub.publish("1", to: topic)
        #expect(
            try Follower(hub, "a", after: id).read().texts == [
                #"gap {"topic":"a","from":null,"to":"e-1","reason":"unknown"}"#, "1",
            ])
    }

    @Test func `an empty id is none`() throws {
        let topic = try hub.topic("a")
        try hub.publish("1", to: topic)
        #expect(try Follower(hub, "a", after: "").read().isEmpty)
    }

    @Test func `a gap with nothing after it leads nowhere`() throws {
        try hub.topic("a")
        #expect(
            try Follower(hub, "a", after: "old-1").read().texts == [
                #"gap {"topic":"a","from":"old-1","to":null,"reason":"restarted"}"#
            ])
    }

    @Test func `under latest a gap leads to the newest`() throws {
        let topic = try hub.topic("a", policy: .latest)
        try hub.publish(1...3, to: topic)
        #expect(
            try Follower(hub, "a", after: "old-1").read().texts == [
                #"gap {"topic":"a","from":"old-1","to":"e-3","reason":"restarted"}"#, "3",
            ])
    }

    @Test func `a publisher's id can't stand in for the hub's`() throws {
        let topic = try hub.topic("a")
        try hub.publish(1...2, to: topic)
        try hub.publish("3", to: topic, id: "e-1")
        #expect(try Follower(hub, "a", after: "e-1").read().texts == ["2", "3"])
    }

    @Test(arguments: 0...30) func `resuming at any point loses and repeats nothing`(cut: Int) throws {
        let topic = try hub.topic("a")
        let first = try Follower(hub, "a")
        try hub.publish(1...cut + 1, to: topic)
        var seen = (0...cut).flatMap { _ in first.readOnce(maxBytes: 1) }.map(\.data)
        first.leave()
        try hub.publish(cut + 2...32, to: topic)
        seen += try Follower(hub, "a", after: first.lastEventID).read().map(\.data)
        #expect(seen == (1...32).map(String.init))
    }
}
