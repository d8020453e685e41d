import Testing

@testable import Hub

@Suite struct PositionTests {
    @Test func `durable numbers go before minor ones`() {
        let inOrder: [Position] = [
            .zero, Position(minor: 9), Position(durable: 1), Position(durable: 1, minor: 1),
            Position(durable: 1, minor: 2), Position(durable: 2), .max,
        ]
        #expect(zip(inOrder, inOrder.dropFirst()).allSatisfy(<))
        #expect(inOrder.shuffled().sorted() == inOrder)
    }

    @Test(arguments: [
        (Position(minor: 7), "7", false), (Position(durable: 7), "7", true),
        (Position(durable: 7, minor: 3), "7.3", true),
    ])
    func `a position is read as it is spelled`(position: Position, text: String, isRecording: Bool) {
        #expect(position.text == text)
        #expect(Position(text, inHubThatRecords: isRecording) == position)
    }

    @Test(arguments: [
        ("", true), (".", true), ("7.", true), (".7", true), ("7.3", false), ("7.3.1", true), ("+7", true),
        ("-7", true),
        ("7.+3", true), ("18446744073709551616", true), ("7.18446744073709551616", true), ("٧", true), ("x", false),
    ])
    func `what is no position is none`(text: String, isRecording: Bool) {
        #expect(Position(text, inHubThatRecords: isRecording) == nil)
    }
}

@Suite struct NumberingTests {
    private let recorder = Recorder()

    @Test func `what is recorded has its number as its id, and what is not counts behind it`() throws {
        let (kept, ticks) = (try recorder.topic("kept"), try recorder.hub.topic("ticks"))
        let ids = try [
            recorder.hub.publish("a", to: ticks), recorder.publish("b", to: kept), recorder.publish("c", to: kept),
            recorder.hub.publish("d", to: ticks), recorder.hub.publish("e", to: ticks), recorder.publish("f", to: kept),
            recorder.hub.publish("g", to: ticks),
        ].map { $0?.id }
        #expect(ids == ["e-1.1", "e-2", "e-3", "e-3.1", "e-3.2", "e-4", "e-4.1"])
    }

    @Test func `any of these ids resumes both kinds`() throws {
        let (kept, ticks) = (try recorder.topic("kept"), try recorder.hub.topic("ticks"))
        var ids: [String] = []
        for round in 1...3 {
            ids.append(try #require(try recorder.publish("\(round)", to: kept)?.id))
            for _ in 1...2 { ids.append(try #require(try recorder.hub.publish("\(round)", to: ticks)?.id)) }
        }
        for (index, id) in ids.enumerated() {
            let follower = try Follower(recorder.hub, "kept", "ticks", after: id)
            #expect(follower.read().map(\.id) == Array(ids.dropFirst(index + 1)))
        }
    }

    @Test func `a number that the topic refused is passed all the same`() throws {
        let (gone, kept) = (try recorder.topic("gone"), try recorder.topic("kept"))
        recorder.hub.close(gone)
        #expect(try recorder.publish("late", to: gone) == nil)
        #expect(recorder.hub.position == Position(durable: 2))
        #expect(try recorder.publish("1", to: kept)?.id == "e-3")
    }

    @Test func `a number that was not given yet is no place`() throws {
        let kept = try recorder.topic("kept")
        try recorder.publish("1", to: kept)
        for id in ["e-3", "e-2.1"] {
            #expect(try Follower(recorder.hub, "kept", after: id).read().map(\.name) == ["gap", "message"])
        }
    }

    @Test func `after a restart positions go on, and what was not recorded is gone`() throws {
        var ticks = try recorder.hub.topic("ticks")
        try recorder.publish("1", to: recorder.topic("kept"))
        try recorder.hub.publish("1", to: ticks)
        recorder.restart()
        ticks = try recorder.hub.topic("ticks")
        let kept = try recorder.topic("kept")
        let follower = try Follower(recorder.hub, "kept", "ticks", after: "e-2.1")
        let told = #"gap {"topic":"ticks","from":"e-2.1","to":null,"reason":"restarted"}"#
        #expect(follower.read().texts == [told])
        try recorder.hub.publish("2", to: ticks)
        try recorder.publish("2", to: kept)
        #expect(follower.read().map(\.id) == ["e-3.1", "e-4"])
        #expect(try Follower(recorder.hub, "ticks", policy: .latest, after: "e-2.1").read().map(\.id) == ["e-3.1"])
    }

    @Test func `a listing says what is recorded`() throws {
        try recorder.publish(1...3, to: recorder.topic("kept"))
        recorder.restart()
        let (kept, ticks) = (try recorder.topic("kept"), try recorder.hub.topic("ticks"))
        let info = try #require(recorder.hub.info(of: kept))
        #expect(info.isStored && info.published == 3 && info.retained == 1 && info.lastEventID == "e-4")
        #expect(recorder.hub.info(of: ticks)?.isStored == false)
    }
}
