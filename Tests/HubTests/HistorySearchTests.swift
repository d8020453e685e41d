import Hub
import Testing

/// Ids of publishers' own that only the history knows.
@Suite struct HistorySearchTests {
    private let recorder = Recorder(history: FakeHistory(answersAtOnce: false))
    private var history: FakeHistory { recorder.history }

    private func publish(_ values: ClosedRange<Int>, to topic: Topic) throws {
        for value in values { try recorder.publish("\(value)", to: topic, id: "1-\(value)") }
    }

    private func gap(_ reason: String, from: String, to: String, on topic: String = "a") -> String {
        "gap {\"topic\":\"\(topic)\",\"from\":\(from),\"to\":\(to),\"reason\":\"\(reason)\"}"
    }

    @Test(arguments: 1...9) func `an own id resumes behind its event, wherever that is`(value: Int) throws {
        try publish(1...10, to: recorder.topic("a", keeping: 3))
        let follower = try Follower(recorder.hub, "a", after: "1-\(value)")
        #expect(follower.readAll(from: history).texts == (value + 1...10).map(String.init))
        #expect(history.requests.isEmpty == (value >= 8))
    }

    @Test func `the newest event's own id needs no search, so that an end is known at once`() throws {
        try publish(1...10, to: recorder.topic("a", keeping: 1))
        recorder.restart()
        try recorder.topic("a", isClosed: true)
        #expect(throws: HubError.ended) { try Follower(recorder.hub, "a", after: "1-10") }
        #expect(history.requests.isEmpty)
    }

    @Test(arguments: [("1-99", "unknown"), ("old-9", "restarted")])
    func `an id that the history does not know either is a gap, and then comes all that is kept`(
        id: String, reason: String
    ) throws {
        try publish(1...5, to: recorder.topic("a", keeping: 2))
        let follower = try Follower(recorder.hub, "a", after: id)
        #expect(
            follower.readAll(from: history).texts
                == [gap(reason, from: "\"\(id)\"", to: "\"1-1\"")] + (1...5).map(String.init))
    }

    @Test func `while it is searched for, nothing goes before it`() throws {
        let topic = try recorder.topic("a", keeping: 2)
        try publish(1...5, to: topic)
        let follower = try Follower(recorder.hub, "a", after: "1-2")
        #expect(follower.read().isEmpty)
        try publish(6...9, to: topic)
        #expect(follower.read().isEmpty && history.requests.count == 1)
        #expect(follower.readAll(from: history).texts == (3...9).map(String.init))
    }

    @Test func `a search that can't be made is a gap`() throws {
        try publish(1...5, to: recorder.topic("a", keeping: 2))
        let follower = try Follower(recorder.hub, "a", after: "1-2")
        _ = follower.read()
        history.set(isReadable: false)
        #expect(
            follower.readAll(from: history).texts
                == [gap("unreadable", from: "\"1-2\"", to: "\"1-4\""), "4", "5"])
    }

    @Test func `the last of several events with an id counts`() throws {
        let topic = try recorder.topic("a", keeping: 2)
        for (value, id) in ["x", "y", "x", "z", "z", "z"].enumerated() {
            try recorder.publish("\(value)", to: topic, id: id)
        }
        #expect(try Follower(recorder.hub, "a", after: "x").readAll(from: history).texts == ["3", "4", "5"])
        #expect(try Follower(recorder.hub, "a", after: "y").readAll(from: history).texts == ["2", "3", "4", "5"])
    }

    @Test func `an own id of one topic resumes several`() throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b", keeping: 1))
        let ticks = try recorder.hub.topic("ticks")
        for value in 1...6 {
            try recorder.publish("\(value)", to: b)
            try recorder.publish("\(value)", to: a, id: "own-\(value)")
            try recorder.hub.publish("\(value)", to: ticks)
        }
        let follower = try Follower(recorder.hub, "b", "ticks", "a", after: "own-3")
        let ids = (8...13).flatMap { $0.isMultiple(of: 2) ? ["e-\($0)"] : ["e-\($0)", "e-\($0).1"] }
        #expect(follower.readAll(from: history).map(\.id) == ["e-7.1"] + ids)
    }

    @Test func `an own id of no topic is a gap on each`() throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b", keeping: 1))
        for value in 1...3 { for topic in [a, b] { try recorder.publish("\(value)", to: topic) } }
        let follower = try Follower(recorder.hub, "a", "b", after: "x")
        let events = follower.readAll(from: history)
        #expect(events.filter { $0.name == "gap" }.count == 2)
        #expect(events.published.map(\.id) == (2...7).map { "e-\($0)" })
    }

    @Test func `a stop during the search is the end behind it`() throws {
        let topic = try recorder.topic("a", keeping: 2)
        try publish(1...6, to: topic)
        let follower = try Follower(recorder.hub, "a", after: "1-2")
        _ = follower.read()
        recorder.hub.stop(topic)
        recorder.hub.start(topic)
        try publish(7...9, to: topic)
        #expect(
            follower.readAll(from: history).texts == (3...6).map(String.init) + [#"end {"reason":"stopped"}"#])
    }
}
