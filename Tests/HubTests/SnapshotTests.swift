import Testing

@testable import Hub

@Suite struct SnapshotTests {
    private let hub = Hub.forTests()

    private func publish(_ value: Int, to topic: Topic) throws {
        hub.publish(try NewEvent(data: "\(value)".utf8), to: topic, snapshot: snapshot("upTo\(value)"))
    }

    private func snapshot(_ text: String) -> Frame { Frame(event: "snapshot", data: "\"\(text)\"".utf8) }

    private func follow(_ topics: String..., after id: String? = nil) throws -> Follower {
        try Follower(
            hub,
            SubscriptionRequest(topics: topics.map { try TopicName($0) }, lastEventID: id))
    }

    @Test func `a newcomer begins with the snapshot and then replays`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        for value in 1...2 { try publish(value, to: topic) }
        let newcomer = try follow("job")
        #expect(newcomer.read().texts == [#"snapshot "upTo2""#, "1", "2"])
        try publish(3, to: topic)
        #expect(newcomer.read().texts == ["3"])
    }

    @Test func `a snapshot has no id and leaves the last id as it was`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        for value in 1...2 { try publish(value, to: topic) }
        #expect(try follow("job", after: "e-1").read().map(\.id) == ["", "e-2"])
    }

    @Test func `a gap is followed by a fresh snapshot, and tells what comes after it`() throws {
        let topic = try hub.topic("job", beginning: .stored, keeping: 1)
        try publish(1, to: topic)
        let slow = try follow("job")
        _ = slow.read()
        for value in 2...3 { try publish(value, to: topic) }
        #expect(
            slow.read().texts == [
                #"gap {"topic":"job","from":"e-1","to":"e-3","reason":"evicted"}"#, #"snapshot "upTo3""#, "3",
            ])
    }

    @Test func `a withdrawal replaces the snapshot that told of what is withdrawn`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        let slow = try follow("job")
        hub.publish(
            try NewEvent(data: "1".utf8, withdrawalTag: 1), to: topic, snapshot: snapshot("old"))
        hub.withdraw(from: topic, taggedBelow: 2, snapshot: snapshot("new"))
        #expect(slow.read().texts == [#"snapshot "new""#])
    }

    @Test func `an old term gets no snapshot of a new one`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        let old = try follow("job")
        try publish(1, to: topic)
        hub.stop(topic)
        hub.start(topic)
        try publish(2, to: topic)
        #expect(old.read().texts == ["1", #"end {"reason":"stopped"}"#])
    }

    @Test func `each of several topics has its own, in an envelope without an id`() throws {
        let (a, b) = (try hub.topic("a", beginning: .stored), try hub.topic("b", beginning: .stored))
        try publish(1, to: a)
        try publish(2, to: b)
        #expect(
            try follow("a", "b").read().prefix(2) == [
                ReceivedEvent(id: "", name: "snapshot", data: #"{"topic":"a","data":"upTo1"}"#),
                ReceivedEvent(id: "", name: "snapshot", data: #"{"topic":"b","data":"upTo2"}"#),
            ])
    }

    @Test func `a consumer in this process gets it too`() async throws {
        let topic = try hub.topic("job", beginning: .stored)
        try publish(1, to: topic)
        var events = try hub.events(
            SubscriptionRequest(topics: [topic.name])
        ).events.makeAsyncIterator()
        #expect(await events.next() == StreamEvent(id: nil, name: "snapshot", data: #""upTo1""#))
        #expect(await events.next()?.data == "1")
    }
}
