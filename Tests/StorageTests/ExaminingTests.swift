import Primitives
import SQLite
import Storage
import Testing

struct ExaminingTests {
    private func filled() throws -> Folder {
        let folder = Folder()
        let store = try open(folder)
        for transaction in Workload.allCases.dropLast() { try transaction.record(in: store) }
        store.close()
        return folder
    }

    @Test func `a report tells what is there`() throws {
        let folder = try filled()
        let report = try Store.examine(folder.path)
        #expect(report.problems == [])
        #expect(report.files.map(\.name) == ["lock", "runcast.db"])
        #expect(report.holder == nil)
        #expect(report.schemaVersion == 1)
        #expect(report.jobs == ["succeeded": 1])
        #expect(report.runs == ["succeeded": 1])
        #expect((report.idempotencyKeys, report.tombstones) == (1, 1))
        #expect(report.openTopics.map(\.name) == ["builds"])
        #expect(report.openTopics.first?.events == 4)
        #expect(report.openTopics.first?.first == Timestamp(millisecondsSinceEpoch: 1_700_000_000_000))
        #expect(report.jobTopics.topics == 1)
        #expect(report.jobTopics.events == 2)
    }

    @Test func `a directory in use can be looked at, and the report tells who uses it`() throws {
        let folder = try filled()
        let store = try open(folder)
        defer { store.close() }
        let report = try Store.examine(folder.path)
        #expect(report.problems == [])
        #expect(report.holder ?? 0 > 0)
        #expect(report.position == (try store.lastPosition))
        try Workload.evictJob.record(in: store)
    }

    @Test func `looking changes nothing`() throws {
        let folder = try filled()
        let before = folder.bytes("runcast.db")
        _ = try Store.examine(folder.path)
        #expect(folder.bytes("runcast.db") == before)
    }

    @Test(arguments: [
        ("UPDATE topics SET events = events + 1 WHERE name = 'builds'", "builds"),
        ("UPDATE topics SET bytes = 0 WHERE name = 'builds'", "builds"),
        ("UPDATE topics SET newest = 1 WHERE name = 'builds'", "builds"),
        ("UPDATE topics SET evicted_through = 100 WHERE name = 'builds'", "no longer kept"),
        ("UPDATE topics SET published = 1 WHERE name = 'builds'", "than were published"),
        ("UPDATE server SET position = 3", "not given yet"),
        ("UPDATE jobs SET current_ordinal = 9", "no current run"),
        ("UPDATE jobs SET last_ordinal = 1", "newer ones than it knows of"),
        (
            "INSERT INTO runs SELECT job, 1, zeroblob(16), NULL, NULL, 1, 'running', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1 FROM runs",
            "not its job's current"
        ),
        ("UPDATE runs SET state = 'asleep'", "asleep"),
        ("UPDATE runs SET result = NULL", "did not succeed"),
        ("UPDATE runs SET result = '{'", "can't be read"),
        ("UPDATE jobs SET id = x'00'", "can't be read"),
        ("INSERT INTO tombstones (id) SELECT id FROM jobs", "is in use"),
        ("DELETE FROM jobs", "row of jobs"),
        ("UPDATE events SET topic = 99 WHERE position = 2", "row of topics"),
        ("UPDATE server SET position = -1", "out of range: server"),
        ("UPDATE jobs SET last_ordinal = 9223372036854775807", "out of range: job"),
        ("UPDATE runs SET finished_at = 253402300800000", "out of range: run"),
        ("UPDATE topics SET published = 9223372036854775807 WHERE is_open = 0", "out of range: topic jobs/1"),
        ("UPDATE topics SET events = 9223372036854775807", "out of range: topic builds"),
        ("UPDATE events SET position = -5 WHERE position = 2", "out of range: event -5"),
    ])
    func `what can't be is told`(_ change: String, _ problem: String) throws {
        let folder = try filled()
        let connection = try Connection(path: folder.file("runcast.db"), mode: .readWrite)
        try connection.execute(change)
        let problems = try Store.examine(folder.path).problems
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }

    @Test func `a damaged page is told of`() throws {
        let folder = try filled()
        var bytes = try #require(folder.bytes("runcast.db"))
        let connection = try Connection(path: folder.file("runcast.db"), mode: .readOnly)
        let root = try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events_of_topic'")
        #expect(try root.step())
        let offset = (Int(root.integer(0)) - 1) * 4_096
        for index in offset + 4_000..<offset + 4_096 { bytes[index] ^= 0x55 }
        let damaged = Folder()
        try damaged.write(bytes, to: "runcast.db")
        #expect(try !Store.examine(damaged.path).problems.isEmpty)
    }

    @Test func `where there is no database, that is said`() throws {
        let folder = Folder()
        let error = #expect(throws: StoreError.self) { try Store.examine(folder.path) }
        #expect(error?.message.contains("There is no database") == true)
        #expect(folder.names == [])
    }
}
