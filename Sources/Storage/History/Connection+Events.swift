import Hub
import SQLite

extension Connection {
    /// A topic with its newest event.
    func stored(_ topic: TopicRecord) throws(SQLiteError) -> StoredTopic {
        StoredTopic(
            key: topic.key, published: topic.published, evictedThrough: topic.evictedThrough,
            withdrawnBelow: topic.withdrawnBelow, newest: try newestEvent(of: topic))
    }

    private func newestEvent(of topic: TopicRecord) throws(SQLiteError) -> StoredEvent? {
        guard topic.newest > 0 else { return nil }
        let select = try statement("SELECT position, own_id, is_json, tag, fields FROM events WHERE position = ?")
        try select.bind(Int64(topic.newest))
        guard try select.step() else { return nil }
        defer { select.reset() }
        return StoredEvent(select, withdrawnBelow: topic.withdrawnBelow)
    }
}

extension StoredEvent {
    /// The row of a `SELECT position, own_id, is_json, tag, fields`.
    init(_ row: Statement, withdrawnBelow bound: UInt32) {
        let tag = UInt32(clamping: row.integer(3))
        self.init(
            position: row.boundedNumber(0), id: row.optionalText(1), isJSON: row.bool(2),
            withdrawalTag: tag,
            fields: tag > 0 && tag < bound ? nil : row.bytes(4))
    }
}
