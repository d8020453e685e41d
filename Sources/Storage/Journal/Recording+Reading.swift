public import Hub
import SQLite

extension Recording {
    /// What is stored of a topic up to now, this transaction's part included.
    /// - Parameter key: of a topic that there is.
    public mutating func stored(_ key: Int64) throws(StoreError) -> StoredTopic {
        let topic = try existing(key)
        return try storing { () throws(SQLiteError) in try connection.stored(topic) }
    }

    /// How many topics clients have made. O(these): for those who are about to make one.
    public var openTopicCount: Int {
        get throws(StoreError) {
            try storing { () throws(SQLiteError) in
                let select = try connection.statement(
                    "SELECT count(*) FROM topics WHERE is_open = 1 AND name IS NOT NULL")
                guard try select.step() else { return 0 }
                defer { select.reset() }
                return Int(select.integer(0))
            }
        }
    }
}
