import Primitives
import SQLite

/// The connection that writes, and what is known of what it wrote. Used by one thread at a time: see ``Journal``.
final class JournalCore {
    let connection: Connection
    let limits: StoreLimits
    private let time: TimeSource
    /// Topics as they were last committed.
    let topics: TopicCache
    /// The number that was given last.
    private(set) var position: UInt64
    private var commits: UInt64 = 0
    let health = StoreHealth()
    private let pageBytes: Int
    /// Called after each commit, before anyone is told of it.
    var onCommit: (@Sendable (CommitReport) -> Void)?

    /// The write-ahead log, as this connection knows it.
    struct Log: Sendable {
        /// Since the start.
        let commits: UInt64
        let bytes: Int
    }

    var log: Log { Log(commits: commits, bytes: connection.walFrameCount * pageBytes) }

    init(_ connection: Connection, position: UInt64, pageBytes: Int, limits: StoreLimits, time: TimeSource) {
        self.pageBytes = pageBytes
        (self.connection, self.position, self.limits, self.time) = (connection, position, limits, time)
        topics = TopicCache(bound: limits.maxCachedTopics)
    }

    /// Records what `write` does, as a whole, or nothing: then nothing that is known here has changed either.
    ///
    /// Where it changes nothing, nothing is written or counted as a commit, for that tells nothing of whether the disk
    /// takes writes.
    func commit<Value: ~Copyable>(
        _ write: (inout Recording) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            try storing { () throws(SQLiteError) in try begin() }
            var recording = Recording(connection, limits, at: time.wall(), after: position, topics)
            let changesBefore = connection.totalChanges
            let value = try write(&recording)
            guard recording.hasCounted || connection.totalChanges != changesBefore else {
                try storing { () throws(SQLiteError) in try rollBack() }
                for topic in recording.read.values { topics.put(topic) }
                return value
            }
            try storing { () throws(SQLiteError) in
                try recording.finish()
                try connection.commitOrErase()
            }
            health.committed(events: recording.position - position)
            keep(recording)
            return value
        } catch {
            try? rollBack()
            health.failed(error)
            throw error
        }
    }

    /// The topic as it was last committed; nil when there is none (any more).
    func topic(named name: String) throws(StoreError) -> TopicRecord? {
        if let known = topics[name] { return known }
        let topic = try storing { () throws(SQLiteError) in try connection.topic(named: name) }
        if let topic { topics.put(topic) }
        return topic
    }

    func topic(_ key: Int64) throws(StoreError) -> TopicRecord? {
        if let known = topics[key] { return known }
        let topic = try storing { () throws(SQLiteError) in try connection.topic(key) }
        if let topic { topics.put(topic) }
        return topic
    }

    private func keep(_ recording: borrowing Recording) {
        position = recording.position
        commits += 1
        for topic in recording.read.values { topics.put(topic) }
        var changed: [TopicRecord] = []
        for (key, topic) in recording.topics {
            if let topic {
                topics.put(topic)
                changed.append(topic)
            } else if let removed = topics[key] {
                topics.remove(removed)
            }
        }
        onCommit?(CommitReport(topics: changed, newBytes: recording.newBytes, logBytes: log.bytes))
    }

    private func begin() throws(SQLiteError) {
        // A rollback that failed is made up for.
        try rollBack()
        try connection.execute("BEGIN IMMEDIATE")
    }

    private func rollBack() throws(SQLiteError) {
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
    }
}
