import Primitives
import SQLite

/// What an export begins with: what is known of the directory as a whole.
struct ExportHeader {
    let epoch: String
    let position: Int64
    let removedThrough: Int64
    let createdAt: Int64
    /// The greatest that were ever given.
    let lastSerial: Int64
    let lastTopicKey: Int64

    init(_ connection: Connection, _ path: String) throws(StoreError) {
        let select = try storing { () throws(SQLiteError) in
            try connection.prepare(
                """
                SELECT epoch, position, created_at, removed_through,
                    (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'jobs'),
                    (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'topics')
                FROM server
                """)
        }
        guard try storing({ () throws(SQLiteError) in try select.step() }) else { throw .damaged("server in \(path)") }
        (epoch, position, createdAt) = (select.text(0), select.integer(1), select.integer(2))
        (removedThrough, lastSerial, lastTopicKey) = (select.integer(3), select.integer(4), select.integer(5))
    }

    init(_ fields: ImportedFields) throws(StoreError) {
        guard try fields.integer("format") == ExportedRows.format else {
            throw fields.fault("is of a format that this version does not know")
        }
        (epoch, position) = (try fields.string("epoch"), try fields.integer("position"))
        (removedThrough, createdAt) = (try fields.integer("removedThrough"), try fields.integer("createdAt"))
        (lastSerial, lastTopicKey) = (try fields.integer("lastSerial"), try fields.integer("lastTopicKey"))
        guard epoch.first?.isLetter == true, epoch.utf8.allSatisfy(isLowercaseOrDigit),
            0...RowBounds.maxNumber - Self.importedPositionGap ~= position
        else {
            throw fields.fault("has no valid epoch and position")
        }
    }

    func write(_ json: inout JSONWriter) {
        json.member("format", ExportedRows.format)
        json.member("epoch", epoch)
        json.member("position", Int(position))
        json.member("removedThrough", Int(removedThrough))
        json.member("createdAt", Int(createdAt))
        json.member("lastSerial", Int(lastSerial))
        json.member("lastTopicKey", Int(lastTopicKey))
    }

    /// How far beyond the exported position an import goes on: more than a server gives while an export of it is kept.
    ///
    /// The server that was exported may have gone on, and its clients may have cursors with numbers that the export does not
    /// know. If these were given again, such a client would miss as many new events without being told.
    static let importedPositionGap: Int64 = 1 << 32

    func insert(_ connection: Connection) throws(SQLiteError) {
        try connection.insertServer(
            epoch: epoch, position: UInt64(position + Self.importedPositionGap), removedThrough: removedThrough,
            createdAt: Timestamp(millisecondsSinceEpoch: createdAt))
        for (table, last) in [("jobs", lastSerial), ("topics", lastTopicKey)] {
            let insert = try connection.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
            try insert.bind(table)
            try insert.bind(last)
            try insert.run()
        }
    }
}

private func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
}
