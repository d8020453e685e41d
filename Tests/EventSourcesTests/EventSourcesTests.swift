import Hub
import Primitives
import TestSupport
import Testing

@testable import EventSources

struct TickScheduleTests {
    @Test func `firing on time keeps the grid`() {
        var schedule = TickSchedule(interval: .seconds(2), start: .seconds(10))
        #expect(schedule.due == .seconds(12))
        schedule.fired(at: .seconds(12) + .milliseconds(300))
        #expect(schedule.due == .seconds(14))
    }

    @Test(arguments: [
        (Duration.seconds(13.9), Duration.seconds(14)), (.seconds(14), .seconds(16)),
        (.seconds(19), .seconds(20)), (.seconds(20), .seconds(22)), (.seconds(1_000_001), .seconds(1_000_002)),
    ])
    func `late firing leaves out what was missed and stays on the grid`(now: Duration, next: Duration) {
        var schedule = TickSchedule(interval: .seconds(2), start: .seconds(10))
        schedule.fired(at: now)
        #expect(schedule.due == next)
    }

    @Test func `an interval below a millisecond never falls behind`() {
        let interval = Duration.microseconds(333)
        var schedule = TickSchedule(interval: interval, start: .zero)
        for step in 1...2_000 {
            let now = Duration.microseconds(997) * step
            schedule.fired(at: now)
            #expect(schedule.due > now)
            #expect(schedule.due <= now + interval)
        }
    }
}

struct TickerTests {
    let clock = ManualClock()
    let hub: Hub
    let topic: Topic
    let ticker: Ticker

    init() throws {
        hub = Hub(time: clock.timeSource)
        topic = try hub.makeTopic(TopicName("ticks"), access: .source, policy: .latest)
        ticker = Ticker(
            hub: hub, topic: topic, interval: .seconds(2), clock: clock, time: clock.timeSource)
    }

    private func subscribe() throws -> AsyncStream<StreamEvent> {
        try hub.events(SubscriptionRequest(topics: [TopicName("ticks")])).events
    }

    private func fire(after duration: Duration = .seconds(2)) async {
        await clock.waitForSleepers()
        clock.advance(by: duration)
    }

    @Test func `values count up with their squares`() async throws {
        var values = try subscribe().makeAsyncIterator()
        await ticker.start()
        for expected in ["{\"n\":1,\"square\":1}", "{\"n\":2,\"square\":4}", "{\"n\":3,\"square\":9}"] {
            await fire()
            let event = await values.next()
            #expect(event?.name == "tick")
            #expect(event?.data == expected)
        }
        await ticker.retire()
    }

    @Test func `after 1000 comes 1`() async throws {
        var values = try subscribe().makeAsyncIterator()
        await ticker.start()
        var last: [String] = []
        for _ in 1...1_001 {
            await fire()
            last = last.suffix(1) + [await values.next()?.data ?? "nothing"]
        }
        #expect(last == ["{\"n\":1000,\"square\":1000000}", "{\"n\":1,\"square\":1}"])
        await ticker.retire()
    }

    @Test func `a firing that comes late is one firing`() async throws {
        var values = try subscribe().makeAsyncIterator()
        await ticker.start()
        await fire(after: .seconds(61))
        #expect(await values.next()?.data == "{\"n\":1,\"square\":1}")
        await fire(after: .seconds(1))
        #expect(await values.next()?.data == "{\"n\":2,\"square\":4}")
        #expect(hub.info(of: topic)?.published == 2)
        await ticker.retire()
    }

    @Test func `stopping ends every subscription, starting again begins anew`() async throws {
        var a = try subscribe().makeAsyncIterator()
        var b = try subscribe().makeAsyncIterator()
        #expect(await ticker.start())
        #expect(await !ticker.start())
        await fire()
        #expect(await a.next() != nil)
        #expect(await b.next() != nil)
        #expect(await ticker.stop())
        #expect(await !ticker.stop())
        #expect(await a.next() == nil)
        #expect(await b.next() == nil)

        var restarted = try subscribe().makeAsyncIterator()
        await ticker.start()
        await fire()
        #expect(await restarted.next()?.data == "{\"n\":1,\"square\":1}")
        #expect(await a.next() == nil)
        await ticker.retire()
    }
}
