import Hub
import Testing

/// Several topics, some of whose next events are not known while a page is read.
@Suite struct HistorySeveralTopicsTests {
    private let recorder = Recorder(history: FakeHistory(answersAtOnce: false))
    private var history: FakeHistory { recorder.history }

    /// Events e-2, e-3, ... in turn on `a` and `b`.
    private func publish(_ count: Int, to a: Topic, _ b: Topic) throws {
        for value in 0..<count { try recorder.publish("\(value)", to: value.isMultiple(of: 2) ? a : b) }
    }

    @Test func `nothing goes before the page of another topic is here`() throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b"))
        try publish(10, to: a, b)
        let follower = try Follower(recorder.hub, "b", "a", after: "e-2")
        #expect(follower.read().isEmpty)
        try publish(4, to: a, b)
        #expect(follower.read().isEmpty)
        history.answer()
        #expect(follower.readAll(from: history).map(\.id) == (3...15).map { "e-\($0)" })
    }

    @Test func `pages of several topics are merged, and read one at a time`() throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b", keeping: 1))
        try publish(10, to: a, b)
        let follower = try Follower(recorder.hub, "a", "b", after: "e-2")
        _ = follower.read()
        #expect(history.pendingCount == 1)
        history.answer()
        _ = follower.read()
        #expect(history.pendingCount == 1 && history.requests.count == 2)
        #expect(history.requests.allSatisfy { $0.maxBytes == 16 << 10 })
        #expect(follower.readAll(from: history).map(\.id) == (3...11).map { "e-\($0)" })
    }

    @Test func `what is not recorded waits for what is`() throws {
        let (a, ticks) = (try recorder.topic("a", keeping: 1), try recorder.hub.topic("ticks"))
        for value in 1...4 {
            try recorder.publish("\(value)", to: a)
            try recorder.hub.publish("\(value)", to: ticks)
        }
        let follower = try Follower(recorder.hub, "ticks", "a", after: "e-2.1")
        #expect(follower.read().isEmpty)
        #expect(follower.readAll(from: history).map(\.id) == ["e-3", "e-3.1", "e-4", "e-4.1", "e-5", "e-5.1"])
    }

    @Test func `events of a page come in envelopes with an id that resumes all`() throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b", keeping: 1))
        try recorder.publish(#"{"n":1}"#, to: a, id: "own")
        try publish(4, to: a, b)
        let events = try Follower(recorder.hub, "a", "b", after: "e-1").readAll(from: history)
        #expect(
            events[0] == ReceivedEvent(id: "e-2", name: "message", data: #"{"topic":"a","id":"own","data":{"n":1}}"#))
        #expect(events[1] == ReceivedEvent(id: "e-3", name: "message", data: #"{"topic":"a","id":"e-3","data":0}"#))
    }

    @Test(arguments: 0...12) func `a stream cut while pages are taken resumes by its last id`(cut: Int) throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b", keeping: 2))
        try publish(14, to: a, b)
        let first = try Follower(recorder.hub, "a", "b", after: "e-2")
        var seen: [String] = []
        while seen.count < cut {
            history.answerAll()
            seen += first.readOnce(maxBytes: 1).map(\.id)
        }
        first.leave()
        history.answerAll()
        let id = first.lastEventID.isEmpty ? "e-2" : first.lastEventID
        seen += try Follower(recorder.hub, "a", "b", after: id).readAll(from: history).map(\.id)
        #expect(seen == (3...15).map { "e-\($0)" })
    }

    @Test func `a topic that is removed no longer holds the others up`() throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b"))
        try publish(6, to: a, b)
        let follower = try Follower(recorder.hub, "a", "b", after: "e-2")
        _ = follower.read()
        recorder.hub.removeTopic(a)
        #expect(follower.read().map(\.id).suffix(3) == ["e-3", "e-5", "e-7"])
        history.answerAll()
        #expect(follower.readAll(from: history).isEmpty)
    }

    @Test func `one topic's latest and another's all keep their order`() throws {
        let (a, b) = (try recorder.topic("a", keeping: 1), try recorder.topic("b", policy: .latest, keeping: 1))
        try publish(10, to: a, b)
        let follower = try Follower(recorder.hub, "a", "b", after: "e-2")
        #expect(follower.readAll(from: history).map(\.id) == ["e-4", "e-6", "e-8", "e-10", "e-11"])
    }
}
