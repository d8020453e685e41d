public import Hub
public import Primitives
import SQLite

/// What one transaction records. Lives as long as the closure that it is given to; nothing of it counts before the commit.
///
/// An error that is thrown by one of its verbs must be passed on: the transaction is not whole any more.
public struct Recording: ~Copyable {
    let connection: Connection
    let limits: StoreLimits
    /// The time that its events are recorded with.
    public let time: Timestamp
    /// The number of the newest event.
    private(set) var position: UInt64
    /// Of the fields of the events recorded.
    private(set) var newBytes = 0
    private let formerPosition: UInt64
    private let known: TopicCache
    /// Topics as this transaction leaves them; nil for those it removes.
    private(set) var topics: [Int64: TopicRecord?] = [:]
    /// Topics that were read from the tables on the way, unchanged by then.
    private(set) var read: [Int64: TopicRecord] = [:]
    private var keys: [String: Int64?] = [:]

    init(
        _ connection: Connection, _ limits: StoreLimits, at time: Timestamp, after position: UInt64, _ known: TopicCache
    ) {
        (self.connection, self.limits, self.time) = (connection, limits, time)
        (self.position, formerPosition, self.known) = (position, position, known)
    }

    // MARK: Events

    /// Records an event as the newest of its topic.
    /// - Parameter key: of a topic that there is.
    /// - Returns: its position, the next of all.
    public mutating func append(_ event: NewEvent, to key: Int64) throws(StoreError) -> UInt64 {
        var topic = try existing(key)
        let next = position + 1
        try storing { () throws(SQLiteError) in
            let insert = try connection.statement(
                """
                INSERT INTO events (position, topic, time, own_id, is_json, tag, fields) VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
            try insert.bind(Int64(next))
            try insert.bind(key)
            try insert.bind(time.millisecondsSinceEpoch)
            try insert.bind(event.id)
            try insert.bind(event.isJSON)
            try insert.bind(Int64(event.withdrawalTag))
            try insert.bind(event.fields)
            try insert.run()
        }
        position = next
        newBytes += event.fields.count
        topic.events += 1
        topic.bytes += event.fields.count
        topic.published += 1
        topic.newest = next
        topics[key] = .some(topic)
        return next
    }

    /// Gives the next number to nothing.
    mutating func skipPosition() { position += 1 }

    // MARK: Topics

    /// The key of a topic; nil when there is none with this name.
    public mutating func topic(named name: String) throws(StoreError) -> Int64? { try find(name)?.key }

    /// Makes a topic. The name must be free.
    /// - Parameter isOpen: clients made it, as opposed to a topic of a job or a run; retention may remove it.
    /// - Returns: its key, which no other topic ever had or will have.
    public mutating func makeTopic(_ name: String, isOpen: Bool) throws(StoreError) -> Int64 {
        // A topic of this name may have been there before: whoever comes back to that learns that its events are gone.
        let topic = try storing { () throws(SQLiteError) in
            let insert = try connection.statement(
                """
                INSERT INTO topics (name, is_open, events, bytes, published, newest, evicted_through, withdrawn_below)
                SELECT ?1, ?2, 0, 0, 0, 0, iif(?2, removed_through, 0), 0 FROM server
                RETURNING key, evicted_through
                """)
            try insert.bind(name)
            try insert.bind(isOpen)
            guard try insert.step() else {
                throw SQLiteError(code: 1, message: "no row", context: "topics", systemError: 0)
            }
            defer { insert.reset() }
            var topic = TopicRecord(key: insert.integer(0), name: name, isOpen: isOpen)
            topic.evictedThrough = insert.boundedNumber(1)
            return topic
        }
        let key = topic.key
        topics[key] = .some(topic)
        keys[name] = .some(key)
        return key
    }

    /// Removes a topic with its events. The name is free at once; where the events are many, they go later, in pieces.
    public mutating func removeTopic(_ key: Int64) throws(StoreError) {
        let topic = try existing(key)
        try storing { () throws(SQLiteError) in
            if topic.isOpen {
                let server = try connection.statement("UPDATE server SET removed_through = max(removed_through, ?)")
                try server.bind(Int64(max(topic.newest, topic.evictedThrough)))
                try server.run()
            }
            if topic.events <= Self.maxEventsRemovedAtOnce {
                let events = try connection.statement("DELETE FROM events WHERE topic = ?")
                try events.bind(key)
                try events.run()
                let row = try connection.statement("DELETE FROM topics WHERE key = ?")
                try row.bind(key)
                try row.run()
            } else {
                let row = try connection.statement("UPDATE topics SET name = NULL WHERE key = ?")
                try row.bind(key)
                try row.run()
            }
        }
        topics[key] = .some(nil)
        keys[topic.name] = .some(nil)
    }

    /// Of a topic that is removed, within the transaction that removes it.
    static let maxEventsRemovedAtOnce = 256

    /// Takes back the events whose tag is in `1..<tag`, those that are still to come included: nobody reads them any
    /// more. Their places stay.
    public mutating func withdraw(_ key: Int64, taggedBelow tag: UInt32) throws(StoreError) {
        var topic = try existing(key)
        guard tag > topic.withdrawnBelow else { return }
        topic.withdrawnBelow = tag
        topics[key] = .some(topic)
    }

    mutating func change(_ topic: TopicRecord) { topics[topic.key] = .some(topic) }

    mutating func existing(_ key: Int64) throws(StoreError) -> TopicRecord {
        guard let topic = try find(key) else {
            throw StoreError(.other, "The topic was removed.", underlying: "no topic has the key \(key)")
        }
        return topic
    }

    mutating func find(_ key: Int64) throws(StoreError) -> TopicRecord? {
        if let touched = topics[key] { return touched }
        if let topic = read[key] ?? known[key] { return topic }
        let topic = try storing { () throws(SQLiteError) in try connection.topic(key) }
        read[key] = topic
        return topic
    }

    private mutating func find(_ name: String) throws(StoreError) -> TopicRecord? {
        if let key = keys[name] { return try key.flatMap { key throws(StoreError) in try find(key) } }
        if let topic = known[name] { return topic }
        let topic = try storing { () throws(SQLiteError) in try connection.topic(named: name) }
        guard let topic else { return nil }
        keys[name] = .some(topic.key)
        read[topic.key] = topic
        return topic
    }

    // MARK: The end

    /// Something is yet to be written by ``finish()``.
    var hasCounted: Bool { position > formerPosition || !topics.isEmpty }

    /// Writes what was only counted so far.
    func finish() throws(SQLiteError) {
        for case let topic? in topics.values { try connection.update(topic) }
        guard position > formerPosition else { return }
        let server = try connection.statement("UPDATE server SET position = ?")
        try server.bind(Int64(position))
        try server.run()
    }
}
