import Primitives
import SQLite
import TestSupport
import Testing

@testable import Storage

/// Steps from version 1 on, made for the test.
struct MigrationTests {
    private static let steps =
        Schema.steps + [
            Migration(version: 2, sql: "ALTER TABLE topics ADD COLUMN note TEXT; UPDATE topics SET note = name"),
            Migration(version: 3, sql: "CREATE TABLE notes (text TEXT) STRICT; INSERT INTO notes VALUES ('a')"),
        ]
    private static let broken: [Migration] =
        Schema.steps + steps[1...1] + [
            Migration(version: 3, sql: "CREATE TABLE notes (text TEXT) STRICT; INSERT INTO nothing VALUES ('a')")
        ]

    private func openWith(_ steps: [Migration], _ folder: Folder) throws(StoreError) {
        let directory = try DataDirectory(folder.path)
        _ = try Database.open(
            directory, durability: .full, limits: StoreLimits(), time: ManualClock().timeSource, steps: steps)
    }

    private func versionOne() throws -> Folder {
        let folder = Folder()
        let store = try open(folder)
        try Workload.makeTopic.record(in: store)
        store.close()
        return folder
    }

    private func version(_ path: String) throws -> Int64 {
        try Connection(path: path, mode: .readOnly).pragma("user_version")
    }

    private func backups(_ folder: Folder) -> [String] { folder.names.filter { $0.hasPrefix("backup-") } }

    @Test func `an older database is brought up to date, with a backup before each step`() throws {
        let folder = try versionOne()
        let before = try dump(folder.file("runcast.db"))
        try openWith(Self.steps, folder)
        #expect(try version(folder.file("runcast.db")) == 3)
        #expect(try dump(folder.file("runcast.db")).contains("notes 'a'"))
        #expect(backups(folder) == ["backup-2023-11-14T221320.000Z-v1.db", "backup-2023-11-14T221320.000Z-v2.db"])
        #expect(try dump(folder.file(backups(folder)[0])) == before)
        #expect(try version(folder.file(backups(folder)[1])) == 2)
    }

    @Test func `a step that fails midway leaves the database as the step before left it`() throws {
        let folder = try versionOne()
        let error = #expect(throws: StoreError.self) { try openWith(Self.broken, folder) }
        #expect(error?.message.contains("from schema 2 to 3") == true)
        #expect(try version(folder.file("runcast.db")) == 2)
        #expect(try !dump(folder.file("runcast.db")).contains { $0.hasPrefix("notes") })
        try openWith(Self.steps, folder)
        #expect(try version(folder.file("runcast.db")) == 3)
    }

    @Test func `without a backup no step is taken`() throws {
        let disk = FaultyDisk(try versionOne())
        let before = disk.folder.bytes("runcast.db")
        disk.stop(at: disk.operations)
        let error = #expect(throws: StoreError.self) { try openWith(Self.steps, disk.folder) }
        #expect(error?.message.contains("No backup could be made") == true)
        #expect(disk.folder.bytes("runcast.db") == before)
        #expect(backups(disk.folder) == [])
    }

    @Test func `the newest three backups are kept`() throws {
        let folder = try versionOne()
        for year in 2001...2004 { try folder.write([1], to: "backup-\(year)-01-01T000000.000Z-v0.db") }
        try openWith(Array(Self.steps.prefix(2)), folder)
        #expect(
            backups(folder) == [
                "backup-2003-01-01T000000.000Z-v0.db", "backup-2004-01-01T000000.000Z-v0.db",
                "backup-2023-11-14T221320.000Z-v1.db",
            ])
    }

    /// Making a database and bringing it up to date, ended at every write; then the same again without a fault.
    @Test(arguments: [false, true])
    func `whatever moment the process is killed at, the database is of one version and can be brought up to date`(
        _ isNew: Bool
    ) throws {
        let reference = try isNew ? Folder() : versionOne()
        try openWith(Self.steps, reference)
        let expected = try dump(reference.file("runcast.db"))
        var moment = 0
        var isOver = false
        while !isOver {
            let disk = FaultyDisk(try isNew ? Folder() : versionOne())
            disk.stop(at: disk.operations + moment, tearing: true)
            isOver = (try? openWith(Self.steps, disk.folder)) != nil
            disk.work()
            let found = try disk.copyAfterKill()
            for backup in backups(disk.folder) { #expect(try version(disk.folder.file(backup)) > 0) }
            if !found.names.isEmpty { #expect(1...3 ~= (try version(found.file("runcast.db")))) }
            try openWith(Self.steps, found)
            let (now, want) = (try dump(found.file("runcast.db")).filter(isNotServer), expected.filter(isNotServer))
            #expect(now == want, "moment \(moment)")
            moment += 1
        }
        #expect(moment > 10)
    }

    /// Each start of a server takes a number, so that differs.
    private func isNotServer(_ line: String) -> Bool { !line.hasPrefix("server ") }
}
