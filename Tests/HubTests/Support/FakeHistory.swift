import Hub
import Primitives

/// A store of events in memory that outlives hubs. It answers at once, or when a test says so, in the order it says, and
/// with what it had at that moment or with what it had when it was asked.
final class FakeHistory: TopicHistory {
    typealias Answer = Result<HistoryPage, HistoryError>

    struct Stored {
        var events: [StoredEvent] = []
        var published: UInt64 = 0
        var droppedThrough: UInt64 = 0
    }

    struct Pending {
        let request: HistoryRequest
        /// What it had when it was asked.
        let early: Answer
        let completion: @Sendable (Answer) -> Void
    }

    struct State {
        var topics: [Int64: Stored] = [:]
        var pending: [Pending] = []
        var requests: [HistoryRequest] = []
        var answersAtOnce = true
        var isReadable = true
    }

    private let state = Locked(State())

    init(answersAtOnce: Bool = true) { state.withLock { $0.answersAtOnce = answersAtOnce } }

    var requests: [HistoryRequest] { state.withLock { $0.requests } }
    var pendingCount: Int { state.withLock { $0.pending.count } }

    func set(isReadable: Bool) { state.withLock { $0.isReadable = isReadable } }
    func set(answersAtOnce: Bool) { state.withLock { $0.answersAtOnce = answersAtOnce } }

    // MARK: As a store

    func record(_ event: StoredEvent, of topic: Int64) {
        state.withLock { state in
            state.topics[topic, default: Stored()].events.append(event)
            state.topics[topic]!.published += 1
        }
    }

    func withdraw(from topic: Int64, taggedBelow tag: UInt32) {
        state.withLock { state in
            let events = state.topics[topic]?.events ?? []
            state.topics[topic]?.events = events.map { event in
                guard 1..<tag ~= event.withdrawalTag else { return event }
                return StoredEvent(
                    position: event.position, id: event.id, isJSON: event.isJSON,
                    withdrawalTag: event.withdrawalTag, fields: nil)
            }
        }
    }

    func drop(from topic: Int64, through position: UInt64) {
        state.withLock { state in
            guard let dropped = state.topics[topic]?.events.last(where: { $0.position <= position }) else { return }
            state.topics[topic]!.events.removeAll { $0.position <= position }
            state.topics[topic]!.droppedThrough = dropped.position
        }
    }

    func stored(_ key: Int64, withdrawnBelow: UInt32 = 0) -> StoredTopic {
        state.withLock { state in
            let topic = state.topics[key] ?? Stored()
            return StoredTopic(
                key: key, published: topic.published, evictedThrough: topic.droppedThrough,
                withdrawnBelow: withdrawnBelow, newest: topic.events.last)
        }
    }

    // MARK: As a history

    func read(_ request: HistoryRequest, completion: @escaping @Sendable (Answer) -> Void) {
        let answer: Answer? = state.withLock { state in
            state.requests.append(request)
            let answer = Self.answer(request, from: state)
            if state.answersAtOnce { return answer }
            state.pending.append(Pending(request: request, early: answer, completion: completion))
            return nil
        }
        if let answer { completion(answer) }
    }

    /// - Parameter isEarly: with what it had when it was asked.
    func answer(_ index: Int = 0, isEarly: Bool = false, with given: Answer? = nil) {
        let (pending, answer) = state.withLock { state in
            let pending = state.pending.remove(at: index)
            return (pending, given ?? (isEarly ? pending.early : Self.answer(pending.request, from: state)))
        }
        pending.completion(answer)
    }

    /// The oldest, if there is one; for a thread of its own.
    func answerOne() {
        let next = state.withLock { state -> (Pending, Answer)? in
            guard let pending = state.pending.first else { return nil }
            state.pending.removeFirst()
            return (pending, Self.answer(pending.request, from: state))
        }
        if let (pending, answer) = next { pending.completion(answer) }
    }

    func answerAll() { while pendingCount > 0 { answer() } }

    private static func answer(_ request: HistoryRequest, from state: State) -> Answer {
        guard state.isReadable else { return .failure(.unreadable) }
        let topic = state.topics[request.topic] ?? Stored()
        var start: UInt64 = 0
        switch request.start {
        case .beginning: break
        case .after(let position): start = position
        case .afterID(let id):
            guard let event = topic.events.last(where: { $0.id == id && $0.position <= request.through }) else {
                return .failure(.unknownID)
            }
            start = event.position
        }
        let wanted = topic.events.filter { $0.position > start && $0.position <= request.through }
        var (events, bytes) = ([StoredEvent](), 0)
        for event in wanted {
            guard events.count < request.maxEvents, bytes < request.maxBytes else { break }
            events.append(event)
            bytes += event.fields?.count ?? 0
        }
        return .success(
            HistoryPage(
                events: events, isBehindEvicted: start < topic.droppedThrough,
                isComplete: events.count == wanted.count, startPosition: start))
    }
}
