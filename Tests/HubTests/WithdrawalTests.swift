import Hub
import Testing

@Suite struct WithdrawalTests {
    private let hub = Hub.forTests()

    private func gap(from: String, to: String) -> String {
        #"gap {"topic":"job","from":\#(from),"to":\#(to),"reason":"superseded"}"#
    }

    @Test func `a slow reader gets one gap in place of what was withdrawn`() throws {
        let topic = try hub.topic("job")
        let slow = try Follower(hub, "job")
        try hub.publish("queued", to: topic)
        for value in 1...3 { try hub.publish("old \(value)", to: topic, tag: 1) }
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, tag: 2)
        #expect(slow.read().texts == ["queued", gap(from: "\"e-1\"", to: "\"e-5\""), "new"])
    }

    @Test func `under latest a withdrawn value is simply not there`() throws {
        let topic = try hub.topic("job", policy: .latest)
        let slow = try Follower(hub, "job")
        try hub.publish("kept", to: topic)
        try hub.publish("old", to: topic, tag: 1)
        hub.withdraw(from: topic, taggedBelow: 2)
        #expect(slow.read().texts == ["kept"])
    }

    @Test func `what is withdrawn in between gives a gap at each place`() throws {
        let topic = try hub.topic("job")
        let slow = try Follower(hub, "job")
        for value in 1...4 { try hub.publish("\(value)", to: topic, tag: value.isMultiple(of: 2) ? 0 : 1) }
        hub.withdraw(from: topic, taggedBelow: 2)
        #expect(
            slow.read().texts == [
                gap(from: "null", to: "\"e-2\""), "2", gap(from: "\"e-2\"", to: "\"e-4\""), "4",
            ])
    }

    @Test func `a gap at the end is reported before anything new`() throws {
        let topic = try hub.topic("job")
        let slow = try Follower(hub, "job")
        try hub.publish("old", to: topic, tag: 1)
        hub.withdraw(from: topic, taggedBelow: 2)
        #expect(slow.read().texts == [gap(from: "null", to: "null")])
        #expect(slow.read().isEmpty)
        try hub.publish("new", to: topic, tag: 2)
        #expect(slow.read().texts == ["new"])
    }

    @Test func `a newcomer gets no gap`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        for value in 1...3 { try hub.publish("\(value)", to: topic, tag: value == 2 ? 1 : 0) }
        hub.withdraw(from: topic, taggedBelow: 2)
        #expect(try Follower(hub, "job").read().texts == ["1", "3"])
    }

    @Test func `a newcomer that is slow gets a gap for what is withdrawn after it came`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        try hub.publish("old 1", to: topic, tag: 1)
        hub.withdraw(from: topic, taggedBelow: 2)
        let newcomer = try Follower(hub, "job")
        try hub.publish("old 2", to: topic, tag: 2)
        hub.withdraw(from: topic, taggedBelow: 3)
        try hub.publish("new", to: topic, tag: 3)
        #expect(newcomer.read().texts == [gap(from: "null", to: "\"e-3\""), "new"])
    }

    @Test func `what is hidden still reaches who follows already, and no newcomer`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        let slow = try Follower(hub, "job")
        try hub.publish("result", to: topic, tag: 1)
        try hub.publish("end", to: topic)
        hub.hide(in: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, tag: 2)
        #expect(try Follower(hub, "job").read().texts == ["end", "new"])
        #expect(slow.read().texts == ["result", "end", "new"])
    }

    @Test func `who comes back before what was hidden gets a gap in its place`() throws {
        let topic = try hub.topic("job", beginning: .stored)
        try hub.publish("queued", to: topic)
        try hub.publish("result", to: topic, tag: 1)
        try hub.publish("end", to: topic)
        hub.hide(in: topic, taggedBelow: 2)
        #expect(
            try Follower(hub, "job", after: "e-1").read().texts == [gap(from: "\"e-1\"", to: "\"e-3\""), "end"])
    }

    @Test func `a gap hides what the snapshot behind it makes stale`() throws {
        let topic = try hub.topic("job", keeping: 2)
        let slow = try Follower(hub, "job")
        for value in 1...2 { try hub.publish("\(value)", to: topic) }
        try hub.publish("result", to: topic, tag: 1)
        try hub.publish("end", to: topic)
        hub.hide(in: topic, taggedBelow: 2, snapshot: Frame(event: "snapshot", data: "2".utf8))
        #expect(
            slow.read().texts == [
                "snapshot 2", #"gap {"topic":"job","from":null,"to":"e-4","reason":"evicted"}"#, "snapshot 2", "end",
            ])
    }

    @Test func `a snapshot that makes values stale hides them in the same step`() throws {
        let topic = try hub.topic("job")
        let slow = try Follower(hub, "job")
        try hub.publish("old 1", to: topic, tag: 1)
        hub.publish(
            try NewEvent(data: "kept".utf8), to: topic,
            snapshot: Frame(event: "snapshot", data: "2".utf8), hidingTaggedBelow: 2)
        // What it begins with tells of it: there is nothing to announce.
        #expect(slow.read().texts == ["snapshot 2", "kept"])
    }

    @Test func `a withdrawal is for good, for what is published late too`() throws {
        let topic = try hub.topic("job")
        let (prompt, slow) = (try Follower(hub, "job"), try Follower(hub, "job"))
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("late", to: topic, tag: 1)
        #expect(prompt.read().texts == [gap(from: "null", to: "null")])
        try hub.publish("new", to: topic, tag: 2)
        #expect(prompt.read().texts == ["new"])
        #expect(slow.read().texts == [gap(from: "null", to: "\"e-2\""), "new"])
    }

    @Test func `an up-to-date reader notices nothing`() throws {
        let topic = try hub.topic("job")
        let follower = try Follower(hub, "job")
        try hub.publish("old", to: topic, tag: 1)
        #expect(follower.read().texts == ["old"])
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, tag: 2)
        #expect(follower.read().texts == ["new"])
    }

    @Test func `one that resumes before what was withdrawn gets one gap`() throws {
        let topic = try hub.topic("job")
        try hub.publish("queued", to: topic, id: "1-1")
        for seq in 2...3 { try hub.publish("old", to: topic, id: "1-\(seq)", tag: 1) }
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, id: "2-1", tag: 2)
        #expect(
            try Follower(hub, "job", after: "1-1").read().texts == [
                gap(from: "\"1-1\"", to: "\"2-1\""), "new",
            ])
    }

    @Test func `one that resumes at a withdrawn event gets what follows`() throws {
        let topic = try hub.topic("job")
        try hub.publish("old", to: topic, id: "1-1", tag: 1)
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, id: "2-1", tag: 2)
        #expect(try Follower(hub, "job", after: "1-1").read().texts == ["new"])
    }

    @Test func `one that comes back from an unknown place gets one gap`() throws {
        let topic = try hub.topic("job")
        try hub.publish("old", to: topic, tag: 1)
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, tag: 2)
        #expect(
            try Follower(hub, "job", after: "old-1").read().texts == [
                #"gap {"topic":"job","from":"old-1","to":"e-2","reason":"restarted"}"#, "new",
            ])
    }

    @Test func `one that comes back from an unknown place is told of each withdrawal`() throws {
        let topic = try hub.topic("job")
        try hub.publish("queued", to: topic)
        try hub.publish("old", to: topic, tag: 1)
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, tag: 2)
        #expect(
            try Follower(hub, "job", after: "x").read().texts == [
                #"gap {"topic":"job","from":"x","to":"e-1","reason":"unknown"}"#, "queued",
                gap(from: "\"e-1\"", to: "\"e-3\""), "new",
            ])
    }

    @Test func `what was evicted and what was withdrawn after it are one gap`() throws {
        let topic = try hub.topic("job", keeping: 2)
        let slow = try Follower(hub, "job")
        for _ in 1...3 { try hub.publish("old", to: topic, tag: 1) }
        hub.withdraw(from: topic, taggedBelow: 2)
        try hub.publish("new", to: topic, tag: 2)
        #expect(
            slow.read().texts == [#"gap {"topic":"job","from":null,"to":"e-4","reason":"evicted"}"#, "new"])
    }

    @Test func `an envelope is withdrawn with its event`() throws {
        let topic = try hub.topic("job")
        try hub.topic("other")
        let (quick, slow) = (try Follower(hub, "job", "other"), try Follower(hub, "job", "other"))
        try hub.publish("1", to: topic, tag: 1)
        #expect(quick.read().count == 1)
        hub.withdraw(from: topic, taggedBelow: 2)
        #expect(slow.read().texts == [gap(from: "null", to: "null")])
    }

    @Test func `tags from the bound on and events without a tag stay`() throws {
        let topic = try hub.topic("job")
        let slow = try Follower(hub, "job")
        for tag: UInt32 in [0, 2, 3, 0] { try hub.publish("\(tag)", to: topic, tag: tag) }
        hub.withdraw(from: topic, taggedBelow: 2)
        #expect(slow.read().texts == ["0", "2", "3", "0"])
    }
}
