import SQLite

extension Connection {
    func topic(_ key: Int64) throws(SQLiteError) -> TopicRecord? {
        let select = try statement(
            """
            SELECT key, name, is_open, events, bytes, published, newest, evicted_through, withdrawn_below
            FROM topics WHERE key = ? AND name IS NOT NULL
            """)
        try select.bind(key)
        return try select.topicOfOnlyRow()
    }

    func topic(named name: String) throws(SQLiteError) -> TopicRecord? {
        let select = try statement(
            """
            SELECT key, name, is_open, events, bytes, published, newest, evicted_through, withdrawn_below
            FROM topics WHERE name = ?
            """)
        try select.bind(name)
        return try select.topicOfOnlyRow()
    }

    /// The topics that clients made, by name.
    func openTopics() throws(SQLiteError) -> [TopicRecord] {
        let select = try statement(
            """
            SELECT key, name, is_open, events, bytes, published, newest, evicted_through, withdrawn_below
            FROM topics WHERE is_open = 1 AND name IS NOT NULL ORDER BY name
            """)
        var topics: [TopicRecord] = []
        while try select.step() { topics.append(TopicRecord(select)) }
        return topics
    }

    func update(_ topic: TopicRecord) throws(SQLiteError) {
        let update = try statement(
            """
            UPDATE topics SET events = ?, bytes = ?, published = ?, newest = ?, evicted_through = ?, withdrawn_below = ?
            WHERE key = ?
            """)
        try update.bind(Int64(topic.events))
        try update.bind(Int64(topic.bytes))
        try update.bind(Int64(topic.published))
        try update.bind(Int64(topic.newest))
        try update.bind(Int64(topic.evictedThrough))
        try update.bind(Int64(topic.withdrawnBelow))
        try update.bind(topic.key)
        try update.run()
    }
}

extension TopicRecord {
    /// The row of a `SELECT` of all columns in the order of the table.
    init(_ row: Statement) {
        self.init(key: row.integer(0), name: row.text(1), isOpen: row.bool(2))
        (events, bytes) = (Int(row.boundedNumber(3)), Int(row.boundedNumber(4)))
        newest = row.boundedNumber(6)
        // The newest event was published, whatever a damaged row says.
        published = max(row.boundedNumber(5), newest > 0 ? 1 : 0)
        evictedThrough = row.boundedNumber(7)
        withdrawnBelow = UInt32(clamping: row.integer(8))
    }
}

extension Statement {
    fileprivate func topicOfOnlyRow() throws(SQLiteError) -> TopicRecord? {
        guard try step() else { return nil }
        defer { reset() }
        return TopicRecord(self)
    }
}
