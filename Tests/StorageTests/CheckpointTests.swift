import Hub
import Primitives
import SQLite
import Storage
import TestSupport
import Testing

struct CheckpointTests {
    private let limits = { @Sendable (limits: inout StoreLimits) in
        (limits.walCheckpointBytes, limits.walRestartBytes) = (64 << 10, 1 << 20)
    }

    private func append(_ store: Store, _ key: Int64, _ count: Int) throws(StoreError) {
        for number in 0..<count {
            try store.journal.record { recording throws(StoreError) in
                _ = try recording.append(.text(String(repeating: "\(number % 10)", count: 2_000)), to: key)
            }
        }
    }

    private func topic(_ store: Store) throws(StoreError) -> Int64 {
        try store.journal.record { recording throws(StoreError) in try recording.makeTopic("t", isOpen: true) }
    }

    /// Records until the log's file is short: the checkpointer has a thread of its own, which may come late.
    /// - Returns: false when it still is not after far more than would fit.
    private func becomesShort(_ folder: Folder, _ store: Store, _ key: Int64) throws -> Bool {
        for _ in 0..<2_000 {
            if folder.size("runcast.db-wal") <= 1 << 20 { return true }
            try append(store, key, 1)
        }
        return false
    }

    @Test func `the write-ahead log becomes short again and again, and loses nothing`() throws {
        let folder = Folder()
        let store = try open(folder, ManualClock(), limits)
        let key = try topic(store)
        for _ in 0..<10 {
            try append(store, key, 100)
            #expect(try becomesShort(folder, store, key))
        }
        let published = try store.openTopics()[0].topic.published
        store.close()
        #expect(folder.names == ["lock", "runcast.db"])
        let events = try dump(folder.file("runcast.db")).count { $0.hasPrefix("events ") }
        #expect(events >= 1_000 && events == published)
    }

    @Test func `a reader that needs the log keeps nobody from recording, and when it has gone the log is short again`()
        throws
    {
        let folder = Folder()
        let store = try open(folder, ManualClock(), limits)
        defer { store.close() }
        let key = try topic(store)
        let reader = try Connection(path: folder.file("runcast.db"), mode: .readOnly)
        try reader.execute("BEGIN; SELECT count(*) FROM events")
        try append(store, key, 600)
        #expect(folder.size("runcast.db-wal") > 1 << 20)
        #expect(try count(reader) == 0)
        try reader.execute("COMMIT")
        #expect(try count(reader) == 600)
        #expect(try becomesShort(folder, store, key))
    }

    private func count(_ connection: Connection) throws(SQLiteError) -> Int64 {
        let select = try connection.prepare("SELECT count(*) FROM events")
        guard try select.step() else { return 0 }
        return select.integer(0)
    }
}
