import Primitives
import SQLite

/// What retention's thread does. A piece that fails ends the sweep; the next one goes on.
struct Sweeper {
    /// Events deleted in one transaction.
    static let maxEventsPerPiece = 1_000

    private let policy: StoreRetention
    private let gate: JournalGate
    private let observer: any RetentionObserver
    private let time: TimeSource
    private let crowded: CrowdedTopics
    /// Looked at between the pieces.
    private let isStopping: @Sendable () -> Bool
    /// Reads what there is to do, beside the commits.
    private var reader: LazyConnection
    /// Topics that clients made, of which perhaps no event is kept.
    private var emptied: Set<Int64> = []
    private var hasLookedAround = false

    init(
        _ policy: StoreRetention, path: String, gate: JournalGate, observer: any RetentionObserver, time: TimeSource,
        crowded: CrowdedTopics, isStopping: @escaping @Sendable () -> Bool
    ) {
        (self.policy, self.gate, self.observer) = (policy, gate, observer)
        reader = LazyConnection(path: path, mode: .readOnly)
        (self.time, self.crowded, self.isStopping) = (time, crowded, isStopping)
    }

    /// Ends early when the store is about to be closed.
    mutating func sweep() {
        var keys: Set<Int64> = []
        do throws(StoreError) {
            try lookAround()
            keys = crowded.takeAll()
            try deleteRemovedTopics()
            for key in keys { while !isStopping(), try trim(key) {} }
            try deleteOldEvents()
            try shrink()
            try removeEmptyTopics()
        } catch {
            crowded.insert(Array(keys))
        }
    }

    private mutating func reading<Value>(
        _ read: (Connection) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        try storing { () throws(SQLiteError) in
            try reader.use(read)
        }
    }

    /// The first time: what is beyond the bounds from before.
    private mutating func lookAround() throws(StoreError) {
        guard !hasLookedAround else { return }
        let policy = policy
        let (found, empty) = try reading { connection throws(SQLiteError) in
            let select = try connection.statement(
                "SELECT key, is_open, events, bytes, published FROM topics WHERE name IS NOT NULL")
            var (found, empty): ([Int64], [Int64]) = ([], [])
            while try select.step() {
                let (events, bytes) = (Int(select.integer(2)), Int(select.integer(3)))
                if events > policy.maxEvents || bytes > policy.maxBytes { found.append(select.integer(0)) }
                if select.bool(1), events == 0, select.integer(4) > 0 { empty.append(select.integer(0)) }
            }
            return (found, empty)
        }
        crowded.insert(found)
        emptied.formUnion(empty)
        hasLookedAround = true
    }

    // MARK: One topic

    /// Deletes a piece of what is beyond the bounds of a topic.
    /// - Returns: whether there may be more.
    private func trim(_ key: Int64) throws(StoreError) -> Bool {
        try deletePiece { recording throws(StoreError) in
            guard let topic = try recording.find(key) else { return nil }
            return try recording.evict(from: topic, policy, atMost: Self.maxEventsPerPiece)
        }
    }

    /// - Parameter delete: returns what was evicted; nil when there was nothing to delete.
    private func deletePiece(
        _ delete: (inout Recording) throws(StoreError) -> EvictedPiece?
    ) throws(StoreError) -> Bool {
        try gate.withCore { core throws(StoreError) in
            guard let piece = try core.commit(delete) else { return false }
            for (topic, position) in piece.topics { observer.evicted(from: topic.name, through: position) }
            return piece.isFull
        }
    }

    /// Topics that had too many events to go with them at once.
    private mutating func deleteRemovedTopics() throws(StoreError) {
        while !isStopping(), let key = try reading({ connection throws(SQLiteError) in try connection.removedTopic() })
        {
            try gate.withCore { core throws(StoreError) in
                try core.commit { recording throws(StoreError) in
                    try recording.deleteRemovedTopic(key, atMost: Self.maxEventsPerPiece)
                }
            }
        }
    }

    // MARK: All topics

    private mutating func deleteOldEvents() throws(StoreError) {
        let now = time.wall().millisecondsSinceEpoch
        let oldest = Timestamp(millisecondsSinceEpoch: now - Int64(policy.maxAge / .milliseconds(1)))
        while !isStopping(),
            let first = try reading({ connection throws(SQLiteError) in try connection.timeOfOldestEvent() }),
            first < oldest
        {
            try deleteOldest { time, _ in time < oldest }
        }
    }

    private mutating func shrink() throws(StoreError) {
        while !isStopping(),
            case let tooMuch = try reading({ connection throws(SQLiteError) in try connection.usedBytes() })
                - policy.maxTotalBytes, tooMuch > 0,
            case let events = try reading({ connection throws(SQLiteError) in try connection.eventBytes() }),
            case let excess = min(tooMuch, events - policy.maxTotalBytes / 4), excess > 0
        {
            // No more than needed, as far as the text tells: what an event takes besides is found out by looking again. A
            // quarter is left to events: where jobs alone take too much, no number of events helps.
            try deleteOldest { _, bytesBefore in bytesBefore < excess }
        }
    }

    private mutating func deleteOldest(while isMeant: (Timestamp, _ bytesBefore: Int) -> Bool) throws(StoreError) {
        var open: [Int64] = []
        _ = try deletePiece { recording throws(StoreError) in
            let piece = try recording.evictOldest(atMost: Self.maxEventsPerPiece, while: isMeant)
            open = piece?.topics.filter { $0.topic.isOpen && $0.topic.events == 0 }.map(\.topic.key) ?? []
            return piece
        }
        emptied.formUnion(open)
    }

    /// Topics that clients made and nobody uses any more.
    private mutating func removeEmptyTopics() throws(StoreError) {
        for key in emptied where !isStopping() {
            let isLeft = try gate.withCore { core throws(StoreError) in
                guard let topic = try core.topic(key), topic.events == 0 else { return false }
                guard observer.remove(topic: topic.name) else { return true }
                try core.commit { recording throws(StoreError) in try recording.removeTopic(key) }
                return false
            }
            if !isLeft { emptied.remove(key) }
        }
    }
}
