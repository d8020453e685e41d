import SQLite
import Storage
import Testing

/// Which directories are opened, and that those that are refused stay as they are.
struct OpeningTests {
    private func refusal(of folder: Folder) throws -> StoreError.Code? {
        let before = folder.bytes("runcast.db")
        do throws(StoreError) {
            try open(folder).close()
            return nil
        } catch {
            #expect(folder.bytes("runcast.db") == before)
            #expect(error.message.contains(folder.path) && !error.message.contains("\n"), "\(error.message)")
            return error.code
        }
    }

    @Test(arguments: [[], Array("Notes: buy milk\n".utf8), [UInt8](repeating: 0xA5, count: 8_192)])
    func `a file that is no database is refused`(_ bytes: [UInt8]) throws {
        let folder = Folder()
        try folder.write(bytes, to: "runcast.db")
        #expect(try refusal(of: folder) == .corrupt)
    }

    @Test func `a folder in the place of the database is refused`() throws {
        let folder = Folder()
        _ = try DataDirectory(folder.file("runcast.db"))
        #expect(throws: StoreError.self) { try open(folder) }
        #expect(folder.names == ["lock", "runcast.db"])
    }

    @Test func `a database of another program is refused`() throws {
        let folder = Folder()
        let other = try Connection(path: folder.file("runcast.db"), mode: .create)
        try other.execute("CREATE TABLE notes (text)")
        #expect(try refusal(of: folder) == .foreign)
    }

    @Test(arguments: [false, true])
    func `a newer database is refused, also when that is in the write-ahead log only`(_ isInLog: Bool) throws {
        let folder = Folder()
        try open(folder).close()
        let newer = try Connection(path: folder.file("runcast.db"), mode: .readWrite)
        try newer.setCheckpointsOnClose(false)
        try newer.execute("PRAGMA user_version = 99")
        if !isInLog { _ = try newer.checkpoint(.truncate) }
        #expect(try refusal(of: folder) == .newer(schemaVersion: 99))
        #expect(try newer.prepare("PRAGMA user_version").step())
    }

    @Test func `a database cut short is refused or fails when it is read, and stays as it is`() throws {
        let whole = try filled()
        for length in stride(from: whole.count - 4_096, to: 0, by: -4_096) {
            let folder = Folder()
            try folder.write(Array(whole.prefix(length)), to: "runcast.db")
            #expect(readingFails(folder), "\(length) bytes")
        }
    }

    /// A flip in the content of a value can't be noticed; whatever is noticed has to be an error, and never a crash.
    @Test func `a damaged page never ends the process, and what can't be right is refused`() throws {
        let whole = try filled()
        var noticed = 0
        for offset in stride(from: 0, to: whole.count, by: 397) {
            let folder = Folder()
            var damaged = whole
            for index in offset..<min(whole.count, offset + 8) { damaged[index] ^= 0xFF }
            try folder.write(damaged, to: "runcast.db")
            if readingFails(folder) { noticed += 1 }
        }
        #expect(noticed > 5)
    }

    // MARK: What belongs together

    @Test(arguments: ["runcast.db-wal", "runcast.db-shm"])
    func `where only a part of a database is left, no new one is made`(_ name: String) throws {
        let folder = Folder()
        try folder.write([1, 2, 3], to: name)
        let error = #expect(throws: StoreError.self) { try open(folder) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains(folder.file(name)) == true)
        let refusal = #expect(throws: StoreError.self) {
            try Store.importLines(into: DataDirectory(folder.path)) { () throws(StoreError) in nil }
        }
        #expect(refusal?.message == error?.message)
        #expect(folder.names == ["lock", name])
        #expect(folder.size(name) == 3)
    }

    @Test func `where no write-ahead log can be had, that is said`() throws {
        let disk = FaultyDisk()
        disk.refuseSharedMemory()
        let error = #expect(throws: StoreError.self) { try open(disk.folder) }
        #expect(error?.code == .notPermitted)
        #expect(error?.message.contains("can't have a write-ahead log") == true, "\(String(describing: error))")
    }

    private func filled() throws -> [UInt8] {
        let folder = Folder()
        let store = try open(folder)
        for transaction in Workload.allCases.dropLast() { try transaction.record(in: store) }
        store.close()
        return folder.bytes("runcast.db") ?? []
    }

    private func readingFails(_ folder: Folder) -> Bool {
        do throws(StoreError) {
            let store = try open(folder)
            defer { store.close() }
            _ = try (store.loadJobs(), store.openTopics())
            return false
        } catch {
            return true
        }
    }

    // MARK: The lock

    @Test func `a second server is told who has the directory, and gets it when that has ended`() throws {
        let folder = Folder()
        var first: DataDirectory? = try DataDirectory(folder.path)
        let error = #expect(throws: StoreError.self) { try DataDirectory(folder.path) }
        #expect(error?.code == .inUse(processID: Int32(try #require(Int32(text(of: folder, "lock"))))))
        #expect(try DataDirectory.holder(of: folder.path) != nil)
        withExtendedLifetime(first) {}
        first = nil
        #expect(try DataDirectory.holder(of: folder.path) == nil)
        _ = try DataDirectory(folder.path)
    }

    @Test func `a directory is made, but not the way to it`() throws {
        let folder = Folder()
        try open(Folder(at: folder.file("data"))).close()
        let error = #expect(throws: StoreError.self) { try DataDirectory(folder.file("a/b")) }
        #expect(error?.code == .ioFailed)
    }

    private func text(of folder: Folder, _ name: String) -> String {
        String(decoding: folder.bytes(name) ?? [], as: UTF8.self).split(separator: "\n").joined()
    }
}
