import Primitives
import SQLite

extension Store {
    /// Makes a directory's database of what ``export(_:to:)`` wrote: as a whole, or not at all. IDs, positions and the epoch
    /// are kept, so that cursors stay valid. What is recorded from now on gets numbers 2^32 beyond those of the export, so
    /// that it is newer than what the exported directory has recorded since, and whoever has seen that misses nothing.
    ///
    /// The directory must be without a database. The exported one should not be used any more: its clients' cursors are
    /// valid here too, but its events are not here.
    /// - Parameter next: returns the lines one by one, without the line feed; nil at the end. It throws what this is to throw.
    /// - Returns: how many lines there were.
    /// - Throws: `notImportable` when there is a database already, or with the number of the line that can't be imported.
    @discardableResult
    public static func importLines(
        into directory: DataDirectory, from next: () throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> Int {
        let path = directory.databasePath
        guard try DatabaseHeader.read(path, knownVersion: Schema.steps.count) == nil else {
            throw StoreError(.notImportable, "\(path) is there already. Import into another data directory.")
        }
        var lines = 0
        try DatabaseFile.make(at: path, in: directory.path, steps: Schema.steps) { connection throws(StoreError) in
            var importer = Importer(connection)
            while let line = try next() {
                lines += 1
                try importer.add(line, number: lines)
            }
            try importer.finish()
        }
        return lines
    }
}

/// Puts lines into the tables of a new database.
private struct Importer {
    private let connection: Connection
    private var inserts: [String: Statement] = [:]
    private var header: ExportHeader?
    private var lines = 0
    private var hasEnded = false

    init(_ connection: Connection) { self.connection = connection }

    mutating func add(_ line: [UInt8], number: Int) throws(StoreError) {
        let (subject, fields) = try ImportedFields.read(line, number: number)
        guard !hasEnded else { throw fields.fault("comes after the end") }
        if subject == "export", header == nil {
            let header = try ExportHeader(fields)
            try storing { () throws(SQLiteError) in try header.insert(connection) }
            self.header = header
        } else if header == nil {
            throw fields.fault("should say that this is an export")
        } else if subject == "end" {
            guard try fields.integer("lines") == lines else { throw fields.fault("counts other lines than there are") }
            hasEnded = true
        } else {
            try insert(subject, fields)
        }
        lines += 1
    }

    private mutating func insert(_ subject: String, _ fields: ImportedFields) throws(StoreError) {
        guard let rows = ExportedRows.all.first(where: { $0.subject.description == subject }) else {
            throw fields.fault("is about \(subject), which this version does not know")
        }
        do throws(SQLiteError) {
            let insert = try inserts[subject].made { () throws(SQLiteError) in try connection.prepare(rows.insert) }
            inserts[subject] = insert
            guard try rows.bind(fields, to: insert) else {
                throw SQLiteError(code: 20, message: "a member is missing or not what it must be", context: subject)
            }
            try insert.run()
        } catch {
            switch error.kind {
            case .constraint, .other: throw fields.fault("does not fit: \(error.message)")
            default: throw StoreError(error)
            }
        }
    }

    /// Counts what the topics have, and checks what could not be checked line by line.
    func finish() throws(StoreError) {
        guard hasEnded else { throw StoreError(.notImportable, "The export is cut short: its last line is missing.") }
        let faults = try storing { () throws(SQLiteError) in
            try connection.execute(
                """
                UPDATE topics SET (events, bytes, newest) = (
                    SELECT count(*), coalesce(sum(length(fields)), 0), coalesce(max(position), 0) FROM events
                    WHERE topic = key)
                """)
            return try connection.consistencyProblems() + connection.foreignKeyProblems()
        }
        if let fault = faults.first { throw StoreError(.notImportable, "The export is not whole: \(fault).") }
    }
}

extension Statement? {
    fileprivate func made(_ make: () throws(SQLiteError) -> Statement) throws(SQLiteError) -> Statement {
        guard let self else { return try make() }
        self.reset()
        return self
    }
}
