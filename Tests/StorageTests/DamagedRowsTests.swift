import Hub
import Jobs
import Primitives
import SQLite
import Storage
import Testing

/// Numbers that we never wrote: they are refused, or brought into a range in which nothing overflows.
struct DamagedRowsTests {
    private func damaged(_ change: String) throws -> Folder {
        let folder = Folder()
        let store = try open(folder)
        for transaction in Workload.allCases.dropLast() { try transaction.record(in: store) }
        store.close()
        try Connection(path: folder.file("runcast.db"), mode: .readWrite).execute(change)
        return folder
    }

    @Test(
        arguments: [
            "server SET position", "jobs SET serial", "jobs SET current_ordinal", "jobs SET last_ordinal",
            "jobs SET version", "jobs SET timeout_seconds", "runs SET ordinal", "runs SET last_seq",
            "runs SET timeout_seconds",
            "idempotency_keys SET ordinal", "sqlite_sequence SET seq",
        ], [Int64.min, -1, .max])
    func `a directory's and a job's numbers out of range are refused`(_ column: String, _ value: Int64) throws {
        let folder = try damaged("UPDATE \(column) = \(value)")
        let error = #expect(throws: StoreError.self) {
            let store = try open(folder)
            defer { store.close() }
            _ = try store.loadJobs()
        }
        #expect(error?.code == .corrupt)
    }

    @Test func `a job that knows less runs than it has is refused`() throws {
        let store = try open(try damaged("UPDATE jobs SET last_ordinal = 1"))
        defer { store.close() }
        let error = #expect(throws: StoreError.self) { try store.loadJobs() }
        #expect(error?.code == .corrupt)
    }

    @Test(
        arguments: [
            "created_at", "started_at", "finished_at",
        ], [Int64.min, .max])
    func `times out of range are brought into it`(_ column: String, _ value: Int64) throws {
        let store = try open(try damaged("UPDATE runs SET \(column) = \(value)"))
        defer { store.close() }
        let run = try #require(try store.loadJobs().jobs.first).currentRun
        let times = [run.createdAt, run.startedAt, run.finishedAt].compactMap { $0?.millisecondsSinceEpoch }
        #expect(times.contains(value < 0 ? -62_167_219_200_000 : 253_402_300_799_999))
    }

    @Test(
        arguments: [
            "events", "bytes", "published", "newest", "evicted_through", "withdrawn_below",
        ], [Int64.min, -1, 0, .max])
    func `a topic with numbers out of range takes events`(_ column: String, _ value: Int64) throws {
        let store = try open(try damaged("UPDATE topics SET \(column) = \(value)"))
        defer { store.close() }
        let topic = try #require(try store.openTopics().first).topic
        #expect(topic.newest == nil || topic.published >= 1)
        let position = try store.journal.record { recording throws(StoreError) in
            try recording.append(.text("next"), to: topic.key)
        }
        #expect(try position == store.lastPosition)
        #expect(try store.openTopics().first?.topic.newest?.position == position)
    }
}
