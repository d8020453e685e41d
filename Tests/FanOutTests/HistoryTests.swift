import Hub
import Primitives
import TestSupport
import Testing

@testable import FanOut

/// Connections whose next events have to be read from the history first.
struct HistoryTests {
    /// All that was published to one topic. It answers when it is told to, on the caller's thread.
    final class Past: TopicHistory {
        struct State {
            var events: [StoredEvent] = []
            var asked: [(HistoryRequest, @Sendable (Result<HistoryPage, HistoryError>) -> Void)] = []
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Locked(State())

        func record(_ event: StoredEvent) { state.withLock { $0.events.append(event) } }

        func read(
            _ request: HistoryRequest, completion: @escaping @Sendable (Result<HistoryPage, HistoryError>) -> Void
        ) {
            let waiter = state.withLock { state in
                state.asked.append((request, completion))
                return state.waiter.take()
            }
            waiter?.resume()
        }

        /// Returns once something was asked.
        func waitUntilAsked() async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isAsked = state.withLock { state in
                    if state.asked.isEmpty { state.waiter = continuation }
                    return !state.asked.isEmpty
                }
                if isAsked { continuation.resume() }
            }
        }

        func answer() {
            let (asked, events) = state.withLock { state in
                defer { state.asked = [] }
                return (state.asked, state.events)
            }
            for (request, completion) in asked {
                guard case .after(let start) = request.start else { return completion(.failure(.unknownID)) }
                let wanted = events.filter { $0.position > start && $0.position <= request.through }
                var (page, bytes) = ([StoredEvent](), 0)
                while page.count < wanted.count, bytes < request.maxBytes {
                    bytes += wanted[page.count].fields?.count ?? 0
                    page.append(wanted[page.count])
                }
                completion(
                    .success(
                        HistoryPage(
                            events: page, isBehindEvicted: false, isComplete: page.count == wanted.count)))
            }
        }

        func answerUntil(_ isOver: Locked<Bool>) { while !isOver.withLock({ $0 }) { answer() } }
    }

    let past = Past()
    let hub: Hub
    let topic: Topic
    static let total = 120

    /// Events e-2 to e-121 of about 1 kB, of which memory has the last ten.
    init() throws {
        hub = Hub(epoch: "e", durablePosition: 1, history: past)
        topic = try hub.makeTopic(
            TopicName("news"), access: .open, policy: .all, retention: Retention(maxEvents: 10),
            stored: StoredTopic(key: 1, evictedThrough: 0))
        for number in 1...Self.total { try publish(number) }
    }

    private func publish(_ number: Int) throws {
        let padding = String(repeating: ".", count: 1_000)
        let event = try NewEvent(data: "n\(number)\(padding)".utf8)
        let position = UInt64(number) + 1
        past.record(
            StoredEvent(position: position, id: nil, isJSON: false, withdrawalTag: 0, fields: event.fields))
        hub.publish(event, to: topic, at: position)
    }

    private func subscribe(after id: String? = "e-1") throws -> Subscription {
        try hub.subscribe(SubscriptionRequest(topics: [TopicName("news")], lastEventID: id))
    }

    private func numbers(in text: String) -> [Int] {
        text.split(separator: "\n").compactMap { line in
            line.hasPrefix("data: n") ? Int(line.dropFirst(7).prefix { $0.isNumber }) : nil
        }
    }

    @Test func `peers that come back at one place get the past and what follows, and share what was read`() throws {
        let fanOut = FanOut(hub: hub)
        let isOver = Locked(false)
        let answering = OwnThread(name: "past") { [past] in past.answerUntil(isOver) }
        let plain = try (0..<8).map { _ in Peer(of: fanOut, subscription: try subscribe(), isChunked: false) }
        let zipped = try (0..<2).map { _ in
            Peer(of: fanOut, subscription: try subscribe(), isChunked: false, isGzipped: true)
        }
        let slow = Peer(of: fanOut, subscription: try subscribe(), isChunked: false, bufferBytes: 4_096)
        for peer in plain { #expect(peer.read(until: "n\(Self.total).")) }
        for peer in zipped { #expect(peer.read(until: "n\(Self.total).", gunzipping: Gunzip())) }
        try publish(Self.total + 1)
        for peer in plain + [slow] {
            #expect(peer.read(until: "n\(Self.total + 1)."))
            #expect(numbers(in: peer.text) == Array(1...Self.total + 1))
        }
        isOver.withLock { $0 = true }
        answering.join()
        // 110 events of 1 kB: four pages of 32 KiB, however many read them; and what memory has let go of for the slow one.
        #expect(4...5 ~= hub.counters.historyPages)
        #expect(hub.counters.gaps == 0)
    }

    @Test func `a peer that waits for a page holds up nobody, and gets heartbeats`() async throws {
        var configuration = FanOutConfiguration()
        configuration.heartbeatInterval = .milliseconds(8)
        let fanOut = FanOut(hub: hub, configuration: configuration)
        let waiting = Peer(of: fanOut, subscription: try subscribe(), isChunked: false)
        let other = Peer(of: fanOut, subscription: try subscribe(after: nil), isChunked: false)
        await past.waitUntilAsked()
        try publish(Self.total + 1)
        #expect(other.read(until: "n\(Self.total + 1)."))
        #expect(waiting.read(until: ":\n\n:\n\n") && numbers(in: waiting.text).isEmpty)
        let isOver = Locked(false)
        let answering = OwnThread(name: "past") { [past] in past.answerUntil(isOver) }
        #expect(waiting.read(until: "n\(Self.total + 1)."))
        #expect(numbers(in: waiting.text) == Array(1...Self.total + 1))
        isOver.withLock { $0 = true }
        answering.join()
    }

    @Test func `a peer that leaves while its page is read is forgotten`() async throws {
        let fanOut = FanOut(hub: hub)
        let left = Signal()
        let peer = Peer(of: fanOut, subscription: try subscribe(), peerLeft: { left.raise() })
        await past.waitUntilAsked()
        peer.leave()
        await left.wait()
        #expect(hub.subscriptionCount == 0)
        past.answer()
        let other = Peer(of: fanOut, subscription: try subscribe(after: nil), isChunked: false)
        try publish(Self.total + 1)
        #expect(other.read(until: "n\(Self.total + 1)."))
    }
}
