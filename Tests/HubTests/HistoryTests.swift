import Testing

@testable import Hub

/// Reading on from the history where memory does not go back far enough.
@Suite struct HistoryTests {
    private let recorder = Recorder(history: FakeHistory(answersAtOnce: false))
    private var history: FakeHistory { recorder.history }

    private func gap(_ reason: String, from: String, to: String, on topic: String = "a") -> String {
        "gap {\"topic\":\"\(topic)\",\"from\":\(from),\"to\":\(to),\"reason\":\"\(reason)\"}"
    }

    @Test func `a cursor older than memory reads on from the history`() throws {
        try recorder.publish(1...9, to: recorder.topic("a", keeping: 3))
        let follower = try Follower(recorder.hub, "a", after: "e-3")
        #expect(follower.readAll(from: history).texts == (3...9).map(String.init))
        #expect(recorder.hub.counters.historyPages == 1 && recorder.hub.counters.historyEvents == 4)
        #expect(recorder.hub.counters.gaps == 0)
    }

    @Test func `nothing is read for a cursor that memory has`() throws {
        try recorder.publish(1...9, to: recorder.topic("a", keeping: 3))
        #expect(try Follower(recorder.hub, "a", after: "e-7").read().texts == ["7", "8", "9"])
        #expect(history.requests.isEmpty)
    }

    @Test func `a newcomer to what is stored gets all of it`() throws {
        try recorder.publish(1...9, to: recorder.topic("a", beginning: .stored, keeping: 3))
        #expect(try Follower(recorder.hub, "a").readAll(from: history).texts == (1...9).map(String.init))
    }

    @Test func `where it is not known what was lost before a newcomer came, it is told of nothing`() throws {
        for position in 2...9 {
            let event = StoredEvent(
                position: UInt64(position), id: nil, isJSON: true, withdrawalTag: 0, fields: Array("data: x\n\n".utf8))
            history.record(event, of: 7)
        }
        history.drop(from: 7, through: 4)
        let hub = Hub(epoch: "e", durablePosition: 9, history: history)
        let newest = history.stored(7).newest
        try hub.makeTopic(
            TopicName("a"), access: .source, policy: .all, beginning: .stored,
            stored: StoredTopic(key: 7, published: 8, newest: newest))
        #expect(try Follower(hub, "a").readAll(from: history).map(\.id) == (5...9).map { "e-\($0)" })
        #expect(history.requests.map(\.start) == [.beginning])
    }

    @Test func `what a damaged store says of a topic ends nothing`() throws {
        let hub = Hub(epoch: "e", durablePosition: 9, history: history)
        for position in [4, 5, 9] {
            let event = StoredEvent(
                position: UInt64(position), id: nil, isJSON: true, withdrawalTag: 0,
                fields: Array((position == 9 ? "" : "data").utf8))
            history.record(event, of: 7)
        }
        for (name, published) in [("a", UInt64(3)), ("b", 0)] {
            let stored = StoredTopic(key: 7, published: published, newest: history.stored(7).newest)
            try hub.makeTopic(
                TopicName(name), access: .source, policy: .all, beginning: .stored, stored: stored)
        }
        let request = SubscriptionRequest(topics: [try TopicName("a"), try TopicName("b")], lastEventID: "e-4")
        let follower = try Follower(hub, request).readAll(from: history)
        #expect(follower.map(\.id) == ["e-5", "e-9", "e-9"])
    }

    @Test func `only a topic that nobody follows goes for being unfollowed`() throws {
        let hub = Hub(epoch: "e")
        let topic = try hub.makeTopic(TopicName("a"), access: .open, policy: .all)
        let subscription = try hub.subscribe(SubscriptionRequest(topics: [topic.name]))
        #expect(!hub.removeTopicIfUnfollowed(topic))
        hub.detach(subscription.handle)
        #expect(hub.removeTopicIfUnfollowed(topic))
        #expect(hub.topic(named: topic.name) == nil && !hub.removeTopicIfUnfollowed(topic))
    }

    @Test func `a newcomer to what comes next gets nothing of it`() throws {
        let topic = try recorder.topic("a", keeping: 3)
        try recorder.publish(1...9, to: topic)
        let follower = try Follower(recorder.hub, "a")
        #expect(follower.read().isEmpty)
        try recorder.publish("10", to: topic)
        #expect(follower.read().texts == ["10"])
        #expect(history.requests.isEmpty)
    }

    @Test func `a reader that falls behind memory misses nothing`() throws {
        let topic = try recorder.topic("a", keeping: 3)
        let slow = try Follower(recorder.hub, "a")
        try recorder.publish(1...2, to: topic)
        #expect(slow.readOnce(maxBytes: 1).texts == ["1"])
        try recorder.publish(3...9, to: topic)
        #expect(slow.readAll(from: history).texts == (2...9).map(String.init))
    }

    @Test func `while a page is awaited there is nothing to take, and its driver is told when it is there`() throws {
        try recorder.publish(1...9, to: recorder.topic("a", keeping: 3))
        let follower = try Follower(recorder.hub, "a", after: "e-3")
        let delivery = recorder.hub.take(follower.subscription.handle, maxBytes: 100)
        #expect(delivery.frames.isEmpty && !delivery.hasMore && !delivery.isLast)
        #expect(recorder.hub.take(follower.subscription.handle, maxBytes: 100).hasMore == false)
        #expect(history.requests.count == 1 && follower.driver.ready.isEmpty)
        history.answer()
        #expect(follower.driver.ready == [0])
        #expect(follower.read().texts == (3...9).map(String.init))
    }

    @Test func `memory that moves on while a page is read leaves no hole`() throws {
        let topic = try recorder.topic("a", keeping: 3)
        try recorder.publish(1...6, to: topic)
        let follower = try Follower(recorder.hub, "a", after: "e-2")
        _ = follower.read()
        try recorder.publish(7...20, to: topic)
        history.answer(isEarly: true)
        #expect(follower.readAll(from: history).texts == (2...20).map(String.init))
    }

    @Test func `memory that moves on while a page is taken leaves no hole`() throws {
        let topic = try recorder.topic("a", keeping: 3)
        try recorder.publish(1...6, to: topic)
        let follower = try Follower(recorder.hub, "a", after: "e-2")
        _ = follower.read()
        history.answer()
        #expect(follower.readOnce(maxBytes: 1).texts == ["2"])
        try recorder.publish(7...20, to: topic)
        #expect(follower.readAll(from: history, maxBytes: 1).texts == (3...20).map(String.init))
    }

    @Test(arguments: [1, 60, 1 << 20]) func `a long past comes page by page`(maxBytes: Int) throws {
        let topic = try recorder.topic("a", keeping: 3)
        for _ in 1...40 { try recorder.publish("\"" + String(repeating: "x", count: 3_000) + "\"", to: topic) }
        let follower = try Follower(recorder.hub, "a", after: "e-1")
        let events = follower.readAll(from: history, maxBytes: maxBytes)
        #expect(events.map(\.id) == (2...41).map { "e-\($0)" })
        #expect(recorder.hub.counters.historyPages == 4)
        #expect(history.requests.allSatisfy { $0.maxBytes == ReplayRead.maxBytes })
    }

    @Test func `a limit ends a stream in the middle of a page`() throws {
        try recorder.publish(1...9, to: recorder.topic("a", keeping: 3))
        let follower = try Follower(recorder.hub, "a", after: "e-1", limit: 3)
        #expect(follower.readAll(from: history).texts == ["1", "2", "3", #"end {"reason":"limit"}"#])
    }

    @Test func `latest never reads the history`() throws {
        let topic = try recorder.topic("a", policy: .latest, keeping: 1)
        for value in 1...9 { try recorder.publish("\(value)", to: topic, id: "own-\(value)") }
        for cursor in ["e-2", "own-3", "own-8"] {
            #expect(try Follower(recorder.hub, "a", after: cursor).read().texts == ["9"])
        }
        #expect(try Follower(recorder.hub, "a", after: "own-9").read().isEmpty)
        #expect(history.requests.isEmpty)
    }

    @Test func `what the history has no longer is a gap`() throws {
        let topic = try recorder.topic("a", keeping: 2)
        try recorder.publish(1...9, to: topic)
        // That it was read before, and is kept for others, is no reason to give it.
        #expect(try Follower(recorder.hub, "a", after: "e-3").readAll(from: history).count == 7)
        recorder.drop(from: topic, through: 5)
        #expect(
            try Follower(recorder.hub, "a", after: "e-3").readAll(from: history).texts
                == [gap("evicted", from: "\"e-3\"", to: "\"e-6\"")] + (5...9).map(String.init))
        #expect(try Follower(recorder.hub, "a", after: "e-5").readAll(from: history).texts == (5...9).map(String.init))
    }

    @Test func `what retention drops goes from memory too, be it the newest`() throws {
        let topic = try recorder.topic("a", beginning: .stored)
        try recorder.publish(1...3, to: topic)
        let slow = try Follower(recorder.hub, "a")
        #expect(slow.readOnce(maxBytes: 1).texts == ["1"])
        recorder.drop(from: topic, through: 4)
        #expect(recorder.hub.info(of: topic)?.retained == 0)
        #expect(slow.readAll(from: history).texts == [gap("evicted", from: "\"e-2\"", to: "null")])
        let newcomer = try Follower(recorder.hub, "a")
        #expect(newcomer.readAll(from: history).isEmpty)
        try recorder.publish("4", to: topic)
        #expect(slow.readAll(from: history).texts == ["4"] && newcomer.readAll(from: history).texts == ["4"])
    }

    @Test(arguments: [false, true])
    func `what is dropped before a newcomer has had it is a gap`(isDroppedWhileRead: Bool) throws {
        let topic = try recorder.topic("a", beginning: .stored, keeping: 2)
        try recorder.publish(1...6, to: topic)
        let newcomer = try Follower(recorder.hub, "a")
        if isDroppedWhileRead { _ = newcomer.read() }
        recorder.drop(from: topic, through: 4)
        #expect(
            newcomer.readAll(from: history).texts
                == [gap("evicted", from: "null", to: "\"e-5\"")] + (4...6).map(String.init))
        #expect(try Follower(recorder.hub, "a").readAll(from: history).texts == (4...6).map(String.init))
    }

    @Test func `what can't be read is a gap, and the stream goes on with what is in memory`() throws {
        let topic = try recorder.topic("a", keeping: 2)
        try recorder.publish(1...6, to: topic)
        let follower = try Follower(recorder.hub, "a", after: "e-2")
        _ = follower.read()
        history.answer(with: .failure(.unreadable))
        #expect(follower.read().texts == [gap("unreadable", from: "\"e-2\"", to: "\"e-6\""), "5", "6"])
        try recorder.publish("7", to: topic)
        #expect(follower.read().texts == ["7"])
    }

    @Test func `the history of a topic that was made again is read as before`() throws {
        try recorder.publish(1...9, to: recorder.topic("a"))
        recorder.restart()
        let topic = try recorder.topic("a")
        let follower = try Follower(recorder.hub, "a", after: "e-4")
        #expect(follower.readAll(from: history).texts == (4...9).map(String.init))
        #expect(try recorder.publish("10", to: topic)?.id == "e-12")
        #expect(follower.readAll(from: history).texts == ["10"])
    }

    @Test func `a topic of which nothing is kept tells of what is lost`() throws {
        let topic = try recorder.topic("a", beginning: .stored)
        try recorder.publish(1...3, to: topic)
        recorder.drop(from: topic, through: 4)
        recorder.restart()
        try recorder.topic("a", beginning: .stored)
        #expect(
            try Follower(recorder.hub, "a", after: "e-2").readAll(from: history).texts
                == [gap("evicted", from: "\"e-2\"", to: "null")])
        #expect(try Follower(recorder.hub, "a").readAll(from: history).isEmpty)
    }

    @Test func `a complete topic ends behind its past`() throws {
        let topic = try recorder.topic("a")
        try recorder.publish(1...3, to: topic)
        recorder.hub.close(topic)
        recorder.restart()
        try recorder.topic("a", isClosed: true)
        let follower = try Follower(recorder.hub, "a", after: "e-2")
        #expect(follower.readAll(from: history).texts == ["2", "3"] && follower.isOver)
        #expect(throws: HubError.ended) { try Follower(recorder.hub, "a", after: "e-4") }
    }

    @Test(arguments: [false, true])
    func `a topic that is stopped ends behind its past, and no event after it is given`(isReading: Bool) throws {
        let topic = try recorder.topic("a", keeping: 2)
        try recorder.publish(1...6, to: topic)
        let follower = try Follower(recorder.hub, "a", after: "e-2")
        if isReading { _ = follower.read() }
        recorder.hub.stop(topic)
        recorder.hub.start(topic)
        try recorder.publish(7...20, to: topic)
        // Another's page goes beyond the stop.
        #expect(try Follower(recorder.hub, "a", after: "e-2").readAll(from: history).count == 19)
        #expect(
            follower.readAll(from: history).texts == (2...6).map(String.init) + [#"end {"reason":"stopped"}"#])
    }

    @Test func `a drain does not wait for pages`() throws {
        try recorder.publish(1...9, to: recorder.topic("a", keeping: 2))
        let (early, late) = (
            try Follower(recorder.hub, "a", after: "e-2"), try Follower(recorder.hub, "a", after: "e-3")
        )
        _ = early.read()
        recorder.hub.drain()
        for follower in [early, late] { #expect(follower.read().isEmpty && follower.isOver) }
        #expect(history.requests.count == 1)
        history.answerAll()
    }

    @Test func `one that leaves or is cancelled while a page is read takes nothing with it`() throws {
        let topic = try recorder.topic("a", keeping: 2)
        try recorder.publish(1...9, to: topic)
        let followers = try (1...3).map { _ in try Follower(recorder.hub, "a", after: "e-2") }
        for follower in followers { _ = follower.read() }
        followers[0].leave()
        recorder.hub.cancel(id: followers[1].subscription.id)
        history.answerAll()
        #expect(followers[1].read().texts == [#"end {"reason":"cancelled"}"#])
        #expect(followers[2].readAll(from: history).texts == (2...9).map(String.init))
        #expect(followers.prefix(2).allSatisfy { $0.driver.ready.isEmpty })
    }

    @Test func `a topic that is removed while a page is read ends its stream`() throws {
        let topic = try recorder.topic("a", keeping: 2)
        try recorder.publish(1...9, to: topic)
        let follower = try Follower(recorder.hub, "a", after: "e-2")
        _ = follower.read()
        recorder.hub.removeTopic(topic)
        #expect(follower.readAll(from: history).texts == [#"end {"reason":"removed"}"#])
    }
}
