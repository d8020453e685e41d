import Glibc
import Primitives
import Testing

@testable import Hub

/// What is read of the past is read once, and shared.
@Suite struct HistorySharingTests {
    private let recorder = Recorder(history: FakeHistory(answersAtOnce: false))
    private var history: FakeHistory { recorder.history }

    private func followers(_ count: Int, after id: String) throws -> [Follower] {
        try (0..<count).map { _ in try Follower(recorder.hub, "a", after: id) }
    }

    private func take(_ followers: [Follower]) -> [Delivery] {
        var deliveries: [Delivery] = []
        recorder.hub.take(
            followers.map(\.subscription.handle), maxBytes: ReplayRead.maxBytes, through: recorder.hub.position,
            maxFrames: .max, into: &deliveries)
        return deliveries
    }

    @Test func `who comes back to the same place gets the same frame of one read`() throws {
        try recorder.publish(1...9, to: recorder.topic("a", keeping: 3))
        let early = try followers(20, after: "e-3")
        #expect(take(early).allSatisfy { $0.frames.isEmpty && !$0.isLast })
        #expect(history.requests.count == 1)
        history.answer()
        #expect(early.allSatisfy { $0.driver.ready == [0] })
        let deliveries = take(early)
        let late = take(try followers(5, after: "e-3"))
        for delivery in deliveries + late {
            #expect(delivery.frames[0] === deliveries[0].frames[0] && delivery.frames[1] === deliveries[0].frames[1])
            #expect(delivery.eventCount == 7)
        }
        #expect(recorder.hub.counters.historyPages == 1 && recorder.hub.counters.historyEvents == 100)
    }

    @Test func `a full page leaves in one write, and whole`() throws {
        let topic = try recorder.topic("a", keeping: 1)
        for _ in 1...3_000 { try recorder.publish("\"" + String(repeating: "x", count: 50) + "\"", to: topic) }
        let (first, second) = (try followers(1, after: "e-1"), try followers(1, after: "e-1"))
        for _ in 1...5 {
            _ = take(first + second)
            history.answerAll()
            let (one, other) = (take(first)[0], take(second)[0])
            #expect(one.frames.count == 1 && one.frames[0] === other.frames[0] && one.hasMore)
            #expect(ReplayRead.maxBytes..<ReplayRead.maxBytes + 100 ~= one.frames[0].textRange.count)
        }
    }

    @Test func `pages that memory has moved past in the meantime are still shared`() throws {
        let topic = try recorder.topic("a", keeping: 3)
        try recorder.publish(1...9, to: topic)
        let first = try followers(1, after: "e-3")
        _ = take(first)
        try recorder.publish(10...12, to: topic)
        let second = try followers(1, after: "e-3")
        _ = take(second)
        #expect(history.requests.count == 1)
        for follower in first + second {
            #expect(follower.readAll(from: history).texts == (3...12).map(String.init))
        }
        #expect(history.requests.count == 2)
    }

    @Test func `only so many reads are under way, and one that nobody waits for any more is not begun`() throws {
        try recorder.publish(1...100, to: recorder.topic("a", keeping: 3))
        let followers = try (1...40).map { try Follower(recorder.hub, "a", after: "e-\($0)") }
        for follower in followers { _ = follower.read() }
        #expect(history.requests.count == ReplayReads.maxRunning)
        for follower in followers.dropFirst(20) { follower.leave() }
        for follower in followers.prefix(2) { follower.leave() }
        history.answerAll()
        #expect(history.requests.count == 20)
        for (index, follower) in followers.prefix(20).enumerated().dropFirst(2) {
            #expect(follower.readAll(from: history).count == 101 - index - 1)
        }
    }

    @Test func `pages that are kept are bounded`() throws {
        let topic = try recorder.topic("a", keeping: 1)
        for _ in 1...60 { try recorder.publish("\"" + String(repeating: "x", count: 40_000) + "\"", to: topic) }
        for round in 1...2 {
            let newcomer = try Follower(recorder.hub, "a", after: "e-1")
            #expect(newcomer.readAll(from: history).count == 60)
            // Each page has one event. The last of them are kept.
            #expect(recorder.hub.counters.historyPages == UInt64(round) * 59)
        }
        let late = try Follower(recorder.hub, "a", after: "e-\(61 - ReplayReads.maxPages)")
        #expect(late.readAll(from: history).count == ReplayReads.maxPages)
        #expect(recorder.hub.counters.historyPages == 118)
    }

    @Test func `readers and publishers on many threads, and a history with its own, miss nothing`() throws {
        let (hub, topic) = (recorder.hub, try recorder.topic("a", keeping: 8))
        let (history, key) = (recorder.history, recorder.key("a"))
        let reading = Locked(4)
        let total = 600
        onThreads(6) { number in
            switch number {
            case 0:
                for value in 2...UInt64(total) + 1 {
                    guard let event = try? NewEvent(data: "1".utf8) else { return }
                    history.record(
                        StoredEvent(position: value, id: nil, isJSON: true, withdrawalTag: 0, fields: event.fields),
                        of: key)
                    hub.publish(event, to: topic, at: value)
                }
            case 1:
                while reading.withLock({ $0 }) > 0 {
                    history.answerOne()
                    sched_yield()
                }
            default:
                defer { reading.withLock { $0 -= 1 } }
                guard var follower = try? Follower(hub, "a", after: "e-1") else { return }
                var seen: [String] = []
                while seen.count < total {
                    seen += follower.read(maxBytes: 200).map(\.id)
                    if seen.count % 50 == number, !follower.lastEventID.isEmpty {
                        follower.leave()
                        guard let next = try? Follower(hub, "a", after: follower.lastEventID) else { return }
                        follower = next
                    }
                }
                #expect(seen == (2...total + 1).map { "e-\($0)" })
                follower.leave()
            }
        }
        #expect(hub.counters.gaps == 0 && hub.subscriptionCount == 0)
    }
}
