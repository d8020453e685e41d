import Primitives
import SQLite

/// What one piece of retention's work has taken away.
struct EvictedPiece {
    /// As they are now, and the newest position that is gone from each.
    let topics: [(topic: TopicRecord, through: UInt64)]
    /// It took as much as a piece may, so there may be more.
    let isFull: Bool
}

extension Recording {
    /// Deletes the oldest events of a topic that is beyond the policy's bounds.
    /// - Returns: nil when it is within them.
    mutating func evict(
        from topic: TopicRecord, _ policy: StoreRetention, atMost bound: Int
    ) throws(StoreError) -> EvictedPiece? {
        var topic = topic
        let before = topic.events
        try storing { () throws(SQLiteError) in
            let select = try connection.statement(
                "SELECT position, length(fields) FROM events WHERE topic = ? ORDER BY position")
            try select.bind(topic.key)
            while topic.events > policy.maxEvents || topic.bytes > policy.maxBytes && topic.events > 1,
                before - topic.events < bound, try select.step()
            {
                topic.evict(position: select.boundedNumber(0), bytes: Int(select.integer(1)))
            }
            select.reset()
            guard topic.events < before else { return }
            let delete = try connection.statement("DELETE FROM events WHERE topic = ? AND position <= ?")
            try delete.bind(topic.key)
            try delete.bind(Int64(topic.evictedThrough))
            try delete.run()
        }
        guard topic.events < before else { return nil }
        change(topic)
        return EvictedPiece(topics: [(topic, topic.evictedThrough)], isFull: before - topic.events == bound)
    }

    /// Deletes the oldest events of all, while `isMeant` says so of the time of their recording and the bytes of those
    /// before it.
    /// - Returns: nil when there is none to delete.
    mutating func evictOldest(
        atMost bound: Int, while isMeant: (Timestamp, _ bytesBefore: Int) -> Bool
    ) throws(StoreError) -> EvictedPiece? {
        var evicted: [(key: Int64, position: Int64, bytes: Int)] = []
        var bytes = 0
        try storing { () throws(SQLiteError) in
            let select = try connection.statement(
                "SELECT position, topic, time, length(fields) FROM events ORDER BY position")
            while evicted.count < bound, try select.step(),
                isMeant(select.time(2), bytes)
            {
                evicted.append((select.integer(1), select.integer(0), Int(select.integer(3))))
                bytes += Int(select.integer(3))
            }
            select.reset()
            guard let last = evicted.last else { return }
            let delete = try connection.statement("DELETE FROM events WHERE position <= ?")
            try delete.bind(last.position)
            try delete.run()
        }
        guard !evicted.isEmpty else { return nil }
        var topics: [Int64: TopicRecord] = [:]
        for event in evicted {
            // None for a topic that is removed: its counters are gone.
            guard var topic = try topics[event.key].found({ () throws(StoreError) in try find(event.key) })
            else { continue }
            topic.evict(position: UInt64(clamping: event.position), bytes: event.bytes)
            topics[event.key] = topic
        }
        for topic in topics.values { change(topic) }
        return EvictedPiece(
            topics: topics.values.map { ($0, $0.evictedThrough) }, isFull: evicted.count == bound)
    }

    /// Deletes a piece of the events of a topic that was removed, and in the end its row.
    mutating func deleteRemovedTopic(_ key: Int64, atMost bound: Int) throws(StoreError) {
        try storing { () throws(SQLiteError) in
            let events = try connection.statement(
                """
                DELETE FROM events WHERE position IN (
                    SELECT position FROM events WHERE topic = ? ORDER BY position LIMIT ?)
                """)
            try events.bind(key)
            try events.bind(Int64(bound))
            try events.run()
            guard connection.changes < bound else { return }
            let topic = try connection.statement("DELETE FROM topics WHERE key = ? AND name IS NULL")
            try topic.bind(key)
            try topic.run()
        }
    }
}

extension TopicRecord {
    /// Counts its oldest event as gone.
    fileprivate mutating func evict(position: UInt64, bytes: Int) {
        events -= 1
        self.bytes -= bytes
        evictedThrough = max(evictedThrough, position)
        if events == 0 { newest = 0 }
    }
}

extension TopicRecord? {
    fileprivate func found(_ find: () throws(StoreError) -> TopicRecord?) throws(StoreError) -> TopicRecord? {
        if let self { return self }
        return try find()
    }
}
