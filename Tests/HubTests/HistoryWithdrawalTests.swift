import Hub
import Testing

/// What is withdrawn or hidden is so in the past too, whenever a page of it was read.
@Suite struct HistoryWithdrawalTests {
    private let recorder = Recorder(history: FakeHistory(answersAtOnce: false))
    private var history: FakeHistory { recorder.history }

    private func gap(_ reason: String, from: String, to: String) -> String {
        "gap {\"topic\":\"job\",\"from\":\(from),\"to\":\(to),\"reason\":\"\(reason)\"}"
    }

    /// queued (e-2), three values of run 1 (e-3 to e-5), end (e-6), and as many of no run, so that memory has these alone.
    private func job(beginning: TopicBeginning = .stored) throws -> Topic {
        let topic = try recorder.topic("job", beginning: beginning, keeping: 2)
        try recorder.publish("queued", to: topic)
        for value in 1...3 { try recorder.publish("\(value)", to: topic, tag: 1) }
        for text in ["end", "x", "y"] { try recorder.publish(text, to: topic) }
        return topic
    }

    @Test func `a reader that resumes gets one gap in place of what was withdrawn`() throws {
        let topic = try job()
        recorder.withdraw(from: topic, taggedBelow: 2)
        #expect(
            try Follower(recorder.hub, "job", after: "e-2").readAll(from: history).texts
                == [gap("superseded", from: "\"e-2\"", to: "\"e-6\""), "end", "x", "y"])
        #expect(try Follower(recorder.hub, "job", after: "e-4").readAll(from: history).texts.count == 4)
        #expect(try Follower(recorder.hub, "job").readAll(from: history).texts == ["queued", "end", "x", "y"])
    }

    @Test(arguments: [false, true])
    func `a page that was read before a withdrawal gives nothing of it`(isTaken: Bool) throws {
        let topic = try job()
        let follower = try Follower(recorder.hub, "job", after: "e-2")
        _ = follower.read()
        if isTaken {
            history.answer()
            #expect(follower.readOnce(maxBytes: 1).texts == ["1"])
            recorder.withdraw(from: topic, taggedBelow: 2)
        } else {
            recorder.withdraw(from: topic, taggedBelow: 2)
            history.answer(isEarly: true)
        }
        let from = isTaken ? "\"e-3\"" : "\"e-2\""
        #expect(
            follower.readAll(from: history).texts == [
                gap("superseded", from: from, to: "\"e-6\""), "end", "x", "y",
            ])
        #expect(recorder.hub.counters.historyPages == 2)
    }

    @Test func `a page that is kept for others is not given once something on it is withdrawn`() throws {
        let topic = try job()
        #expect(try Follower(recorder.hub, "job", after: "e-2").readAll(from: history).count == 6)
        recorder.withdraw(from: topic, taggedBelow: 2)
        #expect(
            try Follower(recorder.hub, "job", after: "e-2").readAll(from: history).texts
                == [gap("superseded", from: "\"e-2\"", to: "\"e-6\""), "end", "x", "y"])
    }

    @Test func `a history that is late with a withdrawal can't undo it`() throws {
        let topic = try job()
        recorder.hub.withdraw(from: topic, taggedBelow: 2)
        #expect(
            try Follower(recorder.hub, "job", after: "e-2").readAll(from: history).texts
                == [gap("superseded", from: "\"e-2\"", to: "\"e-6\""), "end", "x", "y"])
    }

    @Test func `what is hidden is so for who comes, and still reaches who follows already`() throws {
        let topic = try job()
        let slow = try Follower(recorder.hub, "job")
        recorder.hub.hide(in: topic, taggedBelow: 2)
        #expect(try Follower(recorder.hub, "job").readAll(from: history).texts == ["queued", "end", "x", "y"])
        #expect(
            try Follower(recorder.hub, "job", after: "e-2").readAll(from: history).texts
                == [gap("superseded", from: "\"e-2\"", to: "\"e-6\""), "end", "x", "y"])
        #expect(slow.readAll(from: history).texts == ["queued", "1", "2", "3", "end", "x", "y"])
    }

    @Test func `a gap that goes on over pages and into memory is one`() throws {
        let topic = try recorder.topic("job", keeping: 2)
        try recorder.publish("queued", to: topic)
        for value in 1...3_000 { try recorder.publish("\(value)", to: topic, tag: 1) }
        recorder.withdraw(from: topic, taggedBelow: 2)
        let follower = try Follower(recorder.hub, "job", after: "e-2")
        #expect(follower.readAll(from: history).texts == [gap("superseded", from: "\"e-2\"", to: "null")])
        #expect(recorder.hub.counters.historyPages == 3 && recorder.hub.counters.gaps == 1)
        try recorder.publish("new", to: topic, tag: 2)
        #expect(follower.readAll(from: history).texts == ["new"])
    }

    @Test func `what is lost and what was withdrawn after it are one gap`() throws {
        let topic = try job()
        recorder.drop(from: topic, through: 3)
        recorder.withdraw(from: topic, taggedBelow: 2)
        #expect(
            try Follower(recorder.hub, "job", after: "e-2").readAll(from: history).texts
                == [gap("evicted", from: "\"e-2\"", to: "\"e-6\""), "end", "x", "y"])
    }

    @Test func `a snapshot goes before the past, and hides what it makes stale`() throws {
        let topic = try job()
        recorder.hub.hide(in: topic, taggedBelow: 2, snapshot: Frame(event: "snapshot", data: "2".utf8))
        let follower = try Follower(recorder.hub, "job", after: "e-2")
        #expect(
            follower.readAll(from: history).texts == [
                "snapshot 2", gap("superseded", from: "\"e-2\"", to: "\"e-6\""), "snapshot 2", "end", "x", "y",
            ])
    }

    @Test func `a gap at the beginning goes before the snapshot`() throws {
        let topic = try job()
        recorder.drop(from: topic, through: 4)
        recorder.hub.hide(in: topic, taggedBelow: 2, snapshot: Frame(event: "snapshot", data: "2".utf8))
        #expect(
            try Follower(recorder.hub, "job", after: "e-2").readAll(from: history).texts
                == [gap("evicted", from: "\"e-2\"", to: "\"e-6\""), "snapshot 2", "end", "x", "y"])
        #expect(
            try Follower(recorder.hub, "job").readAll(from: history).texts == ["snapshot 2", "end", "x", "y"])
    }

    @Test func `a topic that was made again hides and withholds as before`() throws {
        let topic = try job()
        recorder.withdraw(from: topic, taggedBelow: 2)
        try recorder.publish("result", to: topic, tag: 2)
        recorder.restart()
        try recorder.topic("job", beginning: .stored, hiddenBelow: 3, withdrawnBelow: 2)
        #expect(try Follower(recorder.hub, "job").readAll(from: history).texts == ["queued", "end", "x", "y"])
        #expect(
            try Follower(recorder.hub, "job", after: "e-8").readAll(from: history).texts
                == [gap("superseded", from: "\"e-8\"", to: "null")])
    }
}
