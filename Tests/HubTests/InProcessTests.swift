import Testing

@testable import Hub

/// Independent waiters: each consumer has a stream of its own, and ending one touches no other.
@Suite struct InProcessTests {
    private let hub = Hub.forTests()

    private func request(_ topics: String..., limit: Int? = nil) throws -> SubscriptionRequest {
        SubscriptionRequest(topics: try topics.map { try TopicName($0) }, limit: limit)
    }

    /// Reads a stream to its end, and tells of each event as it comes.
    private func consume(
        _ events: AsyncStream<StreamEvent>, telling heard: AsyncStream<String>.Continuation? = nil
    ) -> Task<[String], Never> {
        Task {
            var seen: [String] = []
            for await event in events {
                seen.append(event.data)
                heard?.yield(event.data)
            }
            return seen
        }
    }

    @Test func `cancelling A's task while it waits leaves B going`() async throws {
        let ticks = try hub.topic("ticks", policy: .latest)
        let (a, b) = (try hub.events(request("ticks")), try hub.events(request("ticks")))
        let (heardA, tellA) = AsyncStream<String>.makeStream()
        let (heardB, tellB) = AsyncStream<String>.makeStream()
        let (taskA, taskB) = (consume(a.events, telling: tellA), consume(b.events, telling: tellB))
        var (nextA, nextB) = (heardA.makeAsyncIterator(), heardB.makeAsyncIterator())
        try hub.publish("1", to: ticks)
        #expect(await nextA.next() == "1")
        #expect(await nextB.next() == "1")

        taskA.cancel()
        #expect(await taskA.value == ["1"])
        #expect(hub.subscriptions().map(\.id) == [b.id])
        for value in ["2", "3"] {
            try hub.publish(value, to: ticks)
            #expect(await nextB.next() == value)
        }
        hub.stop(ticks)
        #expect(await taskB.value == ["1", "2", "3"])
    }

    @Test func `A cancelled before the first value sees none`() async throws {
        let ticks = try hub.topic("ticks", policy: .latest)
        let (a, b) = (try hub.events(request("ticks")), try hub.events(request("ticks")))
        let taskA = consume(a.events)
        taskA.cancel()
        #expect(await taskA.value == [])
        let (heardB, tellB) = AsyncStream<String>.makeStream()
        let taskB = consume(b.events, telling: tellB)
        var nextB = heardB.makeAsyncIterator()
        try hub.publish("1", to: ticks)
        #expect(await nextB.next() == "1")
        hub.stop(ticks)
        #expect(await taskB.value == ["1"])
    }

    @Test func `A cancelled by its id ends, and B goes on`() async throws {
        let ticks = try hub.topic("ticks")
        let (a, b) = (try hub.events(request("ticks")), try hub.events(request("ticks")))
        let taskA = consume(a.events)
        #expect(hub.cancel(id: a.id))
        #expect(await taskA.value == [])
        try hub.publish("1", to: ticks)
        hub.stop(ticks)
        #expect(await consume(b.events).value == ["1"])
    }

    @Test func `a cancelled consumer gets nothing that waits for it`() async throws {
        let ticks = try hub.topic("ticks")
        let a = try hub.events(request("ticks"))
        try hub.publish(1...3, to: ticks)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var seen: [String] = []
            for await event in a.events { seen.append(event.data) }
            return seen
        }
        #expect(await task.value == [])
        #expect(hub.subscriptionCount == 0)
    }

    @Test func `two streams never split the events`() async throws {
        let topic = try hub.topic("jobs", policy: .all)
        let streams = try (0..<2).map { _ in try hub.events(request("jobs")).events }
        let tasks = streams.map { consume($0) }
        try hub.publish(1...200, to: topic)
        hub.close(topic)
        for task in tasks { #expect(await task.value == (1...200).map(String.init)) }
        #expect(hub.subscriptionCount == 0)
    }

    @Test func `all delivers everything to a consumer that begins late`() async throws {
        let topic = try hub.topic("jobs", policy: .all)
        let stream = try hub.events(request("jobs")).events
        try hub.publish(1...100, to: topic)
        hub.close(topic)
        #expect(await consume(stream).value == (1...100).map(String.init))
    }

    @Test func `latest conflates for a consumer that does not read`() async throws {
        let topic = try hub.topic("ticks", policy: .latest)
        let stream = try hub.events(request("ticks")).events
        var iterator = stream.makeAsyncIterator()
        try hub.publish(1...5, to: topic)
        #expect(await iterator.next()?.data == "5")
        try hub.publish(6...9, to: topic)
        #expect(await iterator.next()?.data == "9")
        #expect(hub.subscriptions().first?.conflated == 7)
    }

    @Test func `a one-shot waiter takes one event and leaves the source going`() async throws {
        let topic = try hub.topic("ticks")
        let b = try Follower(hub, "ticks")
        let waiter = try hub.events(request("ticks", limit: 1)).events
        try hub.publish(1...2, to: topic)
        #expect(await consume(waiter).value == ["1"])
        #expect(hub.subscriptions().map(\.id) == [b.subscription.id])
        #expect(b.read().texts == ["1", "2"])
    }

    @Test func `breaking out of the loop ends the subscription`() async throws {
        let topic = try hub.topic("ticks", beginning: .stored)
        try hub.publish("0", to: topic)
        let first = try await firstEvent()
        #expect(first == "0")
        #expect(hub.subscriptionCount == 0)
    }

    private func firstEvent() async throws -> String? {
        let topic = try TopicName("ticks")
        for await event in try hub.events(SubscriptionRequest(topics: [topic])).events {
            return event.data
        }
        return nil
    }

    @Test func `letting go of the stream ends the subscription`() throws {
        let topic = try hub.topic("ticks")
        do {
            let stream = try hub.events(request("ticks"))
            #expect(hub.subscriptions().map(\.id) == [stream.id])
        }
        #expect(hub.subscriptionCount == 0 && hub.info(of: topic)?.subscribers == 0)
    }

    @Test func `a stream that has ended stays ended after a restart`() async throws {
        let topic = try hub.topic("ticks")
        var old = try hub.events(request("ticks")).events.makeAsyncIterator()
        hub.stop(topic)
        #expect(await old.next() == nil)
        hub.start(topic)
        var new = try hub.events(request("ticks")).events.makeAsyncIterator()
        try hub.publish("1", to: topic)
        #expect(await old.next() == nil)
        #expect(await new.next()?.data == "1")
    }

    @Test func `what the log has lost comes as a gap, and then what is left`() async throws {
        let topic = try hub.topic("jobs", policy: .all, keeping: 2)
        var iterator = try hub.events(request("jobs")).events.makeAsyncIterator()
        try hub.publish(1...5, to: topic)
        #expect(await iterator.next()?.name == "gap")
        #expect(await iterator.next() == StreamEvent(id: "e-4", name: "message", data: "4"))
        #expect(await iterator.next()?.data == "5")
    }

    @Test func `draining ends the stream`() async throws {
        try hub.topic("ticks")
        let task = consume(try hub.events(request("ticks")).events)
        hub.drain()
        #expect(await task.value == [])
        #expect(hub.subscriptionCount == 0)
    }
}
