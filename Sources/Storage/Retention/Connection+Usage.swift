import Primitives
import SQLite

extension Connection {
    /// Bytes of the pages that hold something.
    func usedBytes() throws(SQLiteError) -> Int {
        Int(try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size"))
    }

    /// Bytes of the text of all events of topics that are there.
    func eventBytes() throws(SQLiteError) -> Int {
        let select = try statement("SELECT coalesce(sum(bytes), 0) FROM topics")
        guard try select.step() else { return 0 }
        defer { select.reset() }
        return Int(select.integer(0))
    }

    /// Nil when no event is kept.
    func timeOfOldestEvent() throws(SQLiteError) -> Timestamp? {
        let select = try statement("SELECT time FROM events ORDER BY position LIMIT 1")
        guard try select.step() else { return nil }
        defer { select.reset() }
        return select.time(0)
    }

    /// The key of a topic that was removed, whose events are still there.
    func removedTopic() throws(SQLiteError) -> Int64? {
        let select = try statement("SELECT key FROM topics WHERE name IS NULL LIMIT 1")
        guard try select.step() else { return nil }
        defer { select.reset() }
        return select.integer(0)
    }
}
