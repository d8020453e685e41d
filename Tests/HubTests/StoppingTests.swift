import Hub
import Testing

@Suite struct StoppingTests {
    private let hub = Hub.forTests()
    private let stopped = #"end {"reason":"stopped"}"#

    @Test func `stop ends every subscription after what was published`() throws {
        let topic = try hub.topic("a")
        let followers = [try Follower(hub, "a"), try Follower(hub, "a", policy: .latest)]
        try hub.publish(1...3, to: topic)
        hub.stop(topic)
        #expect(followers[0].read().texts == ["1", "2", "3", stopped] && followers[0].isOver)
        #expect(followers[1].read().texts == ["3", stopped] && followers[1].isOver)
    }

    @Test func `stop wakes whoever follows`() throws {
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        hub.stop(topic)
        #expect(follower.driver.advanced == ["a"])
    }

    @Test func `stop leaves other topics going`() throws {
        let (a, b) = (try hub.topic("a"), try hub.topic("b"))
        let follower = try Follower(hub, "b")
        hub.stop(a)
        try hub.publish("1", to: b)
        #expect(follower.read().texts == ["1"])
    }

    @Test func `no event is published while the source is stopped`() throws {
        let topic = try hub.topic("a")
        hub.stop(topic)
        let waiting = try Follower(hub, "a")
        #expect(try hub.publish("late", to: topic) == nil)
        hub.start(topic)
        try hub.publish("1", to: topic)
        #expect(waiting.read().texts == ["1"])
    }

    @Test func `a subscription made after a stop waits for the start`() throws {
        let topic = try hub.topic("a")
        hub.stop(topic)
        let follower = try Follower(hub, "a")
        #expect(follower.read().isEmpty && !follower.isOver)
        hub.start(topic)
        try hub.publish("1", to: topic)
        #expect(follower.read().texts == ["1"])
    }

    @Test func `an old subscription never sees a value after the restart`() throws {
        let topic = try hub.topic("a")
        let followers = [try Follower(hub, "a"), try Follower(hub, "a", policy: .latest)]
        try hub.publish("old", to: topic)
        hub.stop(topic)
        hub.start(topic)
        try hub.publish("new", to: topic)
        for follower in followers { #expect(follower.read().texts == ["old", stopped]) }
    }

    @Test func `a slow subscription of two terms ago gets its own events and no others`() throws {
        let topic = try hub.topic("a")
        let followers = [try Follower(hub, "a"), try Follower(hub, "a", policy: .latest)]
        for value in ["first", "second", "third"] {
            try hub.publish(value, to: topic)
            hub.stop(topic)
            hub.start(topic)
        }
        for follower in followers { #expect(follower.read().texts == ["first", stopped]) }
    }

    @Test func `a later stop of others does not move the end of one that was stopped before`() throws {
        let topic = try hub.topic("a")
        let old = try Follower(hub, "a")
        try hub.publish("first", to: topic)
        hub.stop(topic)
        hub.start(topic)
        let new = try Follower(hub, "a")
        try hub.publish("second", to: topic)
        hub.stop(topic)
        #expect(old.read().texts == ["first", stopped])
        #expect(new.read().texts == ["second", stopped])
    }

    @Test func `a second stop ends who came since the first`() throws {
        let topic = try hub.topic("a")
        let old = try Follower(hub, "a")
        try hub.publish("1", to: topic)
        hub.stop(topic)
        let waiting = try Follower(hub, "a")
        hub.stop(topic)
        #expect(old.read().texts == ["1", stopped])
        #expect(waiting.read().texts == [stopped] && waiting.isOver)
    }

    @Test func `a stopped topic counts only those who came since`() throws {
        let topic = try hub.topic("a")
        let old = try Follower(hub, "a")
        hub.stop(topic)
        #expect(hub.info(of: topic)?.subscribers == 0)
        let new = try Follower(hub, "a")
        #expect(hub.info(of: topic)?.subscribers == 1)
        _ = old.read()
        #expect(hub.info(of: topic)?.subscribers == 1)
        new.leave()
        #expect(hub.info(of: topic)?.subscribers == 0)
    }

    @Test func `what was lost before the stop is reported before the end`() throws {
        let topic = try hub.topic("a", keeping: 2)
        let follower = try Follower(hub, "a")
        try hub.publish(1...3, to: topic)
        hub.stop(topic)
        hub.start(topic)
        try hub.publish(4...9, to: topic)
        #expect(
            follower.read().texts == [
                #"gap {"topic":"a","from":null,"to":null,"reason":"evicted"}"#, stopped,
            ])
    }

    @Test func `a gap of an old term never names an event of the new one`() throws {
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        try hub.publish("1", to: topic, tag: 1)
        hub.stop(topic)
        hub.start(topic)
        try hub.publish("2", to: topic)
        hub.withdraw(from: topic, taggedBelow: 2)
        #expect(
            follower.read().texts == [
                #"gap {"topic":"a","from":null,"to":null,"reason":"superseded"}"#, stopped,
            ])
    }

    @Test func `coming back to a stopped topic with all of it had is refused`() throws {
        let topic = try hub.topic("a")
        try hub.publish(1...2, to: topic)
        hub.stop(topic)
        #expect(throws: HubError.ended) { try Follower(hub, "a", after: "e-2") }
        #expect(try Follower(hub, "a", after: "e-1").read().texts == ["2"])
        hub.start(topic)
        #expect(try Follower(hub, "a", after: "e-2").read().isEmpty)
    }
}
