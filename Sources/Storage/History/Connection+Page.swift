import Hub
import SQLite

extension Connection {
    /// Reads a page in a transaction of its own.
    func page(_ request: HistoryRequest) throws(SQLiteError) -> Result<HistoryPage, HistoryError> {
        try execute("BEGIN")
        do throws(SQLiteError) {
            let page = try pageInTransaction(request)
            try execute("COMMIT")
            return page
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    private func pageInTransaction(
        _ request: HistoryRequest
    ) throws(SQLiteError) -> Result<HistoryPage, HistoryError> {
        guard let topic = try topic(request.topic) else {
            if case .afterID = request.start { return .failure(.unknownID) }
            return .success(HistoryPage(events: [], isBehindEvicted: true, isComplete: true))
        }
        var start: UInt64 = 0
        var startPosition: UInt64?
        switch request.start {
        case .beginning: break
        case .after(let position): start = position
        case .afterID(let id):
            guard let position = try position(ofID: id, in: topic.key, through: request.through) else {
                return .failure(.unknownID)
            }
            start = position
            startPosition = position
        }
        let isBehindEvicted = if case .after = request.start { start < topic.evictedThrough } else { false }
        let (events, isComplete) = try events(of: topic, after: start, request)
        return .success(
            HistoryPage(
                events: events, isBehindEvicted: isBehindEvicted, isComplete: isComplete, startPosition: startPosition))
    }

    private func events(
        of topic: TopicRecord, after start: UInt64, _ request: HistoryRequest
    ) throws(SQLiteError) -> (events: [StoredEvent], isComplete: Bool) {
        let select = try statement(
            """
            SELECT position, own_id, is_json, tag, fields FROM events
            WHERE topic = ? AND position > ? AND position <= ? ORDER BY position
            """)
        try select.bind(topic.key)
        try select.bind(Int64(clamping: start))
        try select.bind(Int64(clamping: request.through))
        var events: [StoredEvent] = []
        var byteCount = 0
        while try select.step() {
            guard events.count < max(1, request.maxEvents), byteCount < request.maxBytes || events.isEmpty else {
                select.reset()
                return (events, false)
            }
            let event = StoredEvent(select, withdrawnBelow: topic.withdrawnBelow)
            byteCount += event.fields?.count ?? 0
            events.append(event)
        }
        return (events, true)
    }

    /// Of the newest event with this id of its own.
    private func position(ofID id: String, in key: Int64, through: UInt64) throws(SQLiteError) -> UInt64? {
        let select = try statement("SELECT max(position) FROM events WHERE topic = ? AND own_id = ? AND position <= ?")
        try select.bind(key)
        try select.bind(id)
        try select.bind(Int64(clamping: through))
        guard try select.step() else { return nil }
        defer { select.reset() }
        return select.isNull(0) ? nil : select.boundedNumber(0)
    }
}
