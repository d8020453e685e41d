import Hub
import Jobs
import Primitives
import Storage
import TestSupport
import Testing

struct ExportTests {
    private func export(_ folder: Folder) throws(StoreError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        try Store.export(folder.path) { line throws(StoreError) in lines.append(line) }
        return lines
    }

    private func importLines(_ lines: [[UInt8]], into folder: Folder) throws(StoreError) {
        var rest = lines[...].map { Array($0.dropLast()) }[...]
        try Store.importLines(into: DataDirectory(folder.path)) { () throws(StoreError) in rest.popFirst() }
    }

    private func filled(upTo last: Workload = .evictJob) throws -> Folder {
        let folder = Folder()
        let store = try open(folder)
        defer { store.close() }
        for transaction in Workload.allCases {
            try transaction.record(in: store)
            if transaction == last { break }
        }
        try store.journal.record { recording throws(StoreError) in
            let key = try recording.makeTopic("bytes", isOpen: true)
            let bytes = try? NewEvent(data: [0xFF, 0xFE], isJSON: false)
            if let bytes { _ = try recording.append(bytes, to: key) }
        }
        return folder
    }

    @Test(arguments: Workload.allCases)
    func `what was exported and imported is the same, line by line, and when it is exported again`(
        _ last: Workload
    ) throws {
        let (folder, copy) = (try filled(upTo: last), Folder())
        let lines = try export(folder)
        try importLines(lines, into: copy)
        let again = try export(copy)
        #expect(again.dropFirst() == lines.dropFirst())
        let (header, headerAgain) = (try header(of: lines), try header(of: again))
        #expect(headerAgain.rest == header.rest)
        #expect(headerAgain.position == header.position + 1 << 32)
        #expect(try Store.examine(copy.path).problems == [])
        let (old, new) = (try open(folder), try open(copy))
        defer {
            old.close()
            new.close()
        }
        #expect(try old.loadJobs() == new.loadJobs())
        #expect(old.epoch == new.epoch)
        #expect(try new.lastPosition == old.lastPosition + 1 << 32)
        let (oldTopics, newTopics) = (try old.openTopics(), try new.openTopics())
        #expect(oldTopics.map(\.name) == newTopics.map(\.name))
        #expect(oldTopics.map(\.topic.newest) == newTopics.map(\.topic.newest))
        #expect(oldTopics.map(\.topic.published) == newTopics.map(\.topic.published))
    }

    private func header(of lines: [[UInt8]]) throws -> (position: Int64, rest: [String: JSONValue]) {
        let line = try #require(JSONValue(text: Array(lines[0].dropLast())))
        guard case .object(var header) = line["export"],
            case .integer(let position) = header.removeValue(forKey: "position")
        else { throw StoreError(.other, "no header") }
        return (position, header)
    }

    @Test func `what is recorded after an import is newer than what the exported server has recorded since`() throws {
        let (folder, copy) = (try filled(upTo: .makeTopic), Folder())
        try importLines(export(folder), into: copy)
        let (old, new) = (try open(folder), try open(copy))
        defer {
            old.close()
            new.close()
        }
        let append = { (store: Store) throws(StoreError) in
            try store.journal.record { recording throws(StoreError) in
                let key = try recording.topic(named: "builds")!
                return try recording.append(.text("since"), to: key)
            }
        }
        var since: UInt64 = 0
        for _ in 0..<100 { since = try append(old) }
        #expect(try append(new) > since)
    }

    @Test func `a position that leaves no room is refused`() throws {
        var lines = try export(filled(upTo: .makeTopic))
        let text = String(decoding: lines[0], as: UTF8.self)
        let position = try header(of: lines).position
        lines[0] = Array(
            text.replacing("\"position\":\(position)", with: "\"position\":\(Int64.max)").utf8)
        let error = #expect(throws: StoreError.self) { try importLines(lines, into: Folder()) }
        #expect(error?.code == .notImportable)
    }

    @Test func `every line is JSON, and the first and the last say what they are`() throws {
        let lines = try export(filled())
        #expect(lines.allSatisfy { JSONValue(text: Array($0.dropLast())) != nil && $0.last == UInt8(ascii: "\n") })
        #expect(String(decoding: lines[0], as: UTF8.self).hasPrefix(#"{"export":{"format":1,"epoch":"d"#))
        #expect(String(decoding: lines[lines.count - 1], as: UTF8.self) == "{\"end\":{\"lines\":\(lines.count - 1)}}\n")
    }

    @Test func `withdrawn values are not exported`() throws {
        let folder = try filled(upTo: .overtakeRun)
        let text = try export(folder).map { String(decoding: $0, as: UTF8.self) }
        let values = text.filter { $0.hasPrefix("{\"event\"") && $0.contains("\"tag\":1") }
        #expect(values.count == 4)
        #expect(values.allSatisfy { !$0.contains("fields") })
    }

    @Test func `an export is of one moment, while a server goes on`() throws {
        let folder = Folder()
        let store = try open(folder)
        defer { store.close() }
        for transaction in Workload.allCases.dropLast(2) { try transaction.record(in: store) }
        let before = try export(folder)
        var during: [[UInt8]] = []
        try Store.export(folder.path) { line throws(StoreError) in
            if during.count == 1 { try Workload.endRuns.record(in: store) }
            during.append(line)
        }
        #expect(during == before)
        #expect(try export(folder) != before)
    }

    @Test func `an import that ends or fails at any line leaves no database`() throws {
        let lines = try export(filled(upTo: .endRuns))
        for count in 0..<lines.count {
            let folder = Folder()
            let error = #expect(throws: StoreError.self) { try importLines(Array(lines.prefix(count)), into: folder) }
            #expect(error?.code == .notImportable)
            #expect(folder.names == ["lock"])
        }
    }

    @Test(arguments: [
        ("{}", "is not of an export"), ("x", "is not of an export"), (#"{"ghost":{}}"#, "ghost"),
        (#"{"tombstone":{"id":"x"}}"#, "a member is missing"), (#"{"tombstone":{}}"#, "a member is missing"),
        (#"{"tombstone":{"id":"00000000-0000-0000-0000-000000000000","x":1}}"#, "a member is missing"),
        (
            #"{"topic":{"key":1,"name":"t","isOpen":true,"published":0,"evictedThrough":0,"withdrawnBelow":"0"}}"#,
            "member"
        ),
    ])
    func `a line that does not fit is named`(_ line: String, _ reason: String) throws {
        var lines = try export(filled(upTo: .makeTopic))
        lines.insert(Array((line + "\n").utf8), at: 1)
        let error = #expect(throws: StoreError.self) { try importLines(lines, into: Folder()) }
        #expect(error?.code == .notImportable)
        #expect(error?.message.hasPrefix("Line 2 of the export") == true)
        #expect(error?.message.contains(reason) == true)
    }

    @Test func `lines that are missing or twice are noticed`() throws {
        let lines = try export(filled(upTo: .endRuns))
        for index in 1..<lines.count - 1 {
            for changed in [lines[..<index] + lines[(index + 1)...], lines[...index] + lines[index...]] {
                let error = #expect(throws: StoreError.self) { try importLines(Array(changed), into: Folder()) }
                #expect(error?.code == .notImportable)
            }
        }
    }

    @Test func `a database that is there is not imported into`() throws {
        let folder = try filled()
        let before = folder.bytes("runcast.db")
        let lines = try export(folder)
        let error = #expect(throws: StoreError.self) { try importLines(lines, into: folder) }
        #expect(error?.code == .notImportable)
        #expect(folder.bytes("runcast.db") == before)
    }

    @Test func `a disk that fails midway leaves no database`() throws {
        let lines = try export(filled())
        var (moment, isOver) = (0, false)
        while !isOver {
            let disk = FaultyDisk()
            disk.stop(at: moment)
            isOver = (try? importLines(lines, into: disk.folder)) != nil
            #expect(disk.folder.names == (isOver ? ["lock", "runcast.db"] : ["lock"]))
            moment += 1
        }
        #expect(moment > 5)
    }
}
