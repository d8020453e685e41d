import Primitives
import SQLite

extension Store {
    /// Writes all that a directory has as JSON lines, as it is at one moment. A server may use the directory meanwhile; until
    /// this is through, its write-ahead log grows with what it records.
    /// - Parameter write: gets the lines one by one, with the line feed. It throws what this is to throw.
    /// - Throws: `corrupt` and the like when there is no database, or it can't be read.
    public static func export(
        _ directory: String, to write: (_ line: [UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let path = DataDirectory.databasePath(in: directory)
        let connection = try Database.openForReading(path)
        try storing { () throws(SQLiteError) in try connection.execute("BEGIN") }
        var lines = 0
        let header = try ExportHeader(connection, path)
        func put(_ subject: StaticString, _ members: (inout JSONWriter) -> Void) throws(StoreError) {
            try write(line(subject, members))
            lines += 1
        }
        try put("export", header.write)
        for rows in ExportedRows.all {
            let select = try storing { () throws(SQLiteError) in try connection.prepare(rows.select) }
            while try storing({ () throws(SQLiteError) in try select.step() }) {
                guard rows.isSound(select) else { throw .damaged("a \(rows.subject) in \(path)") }
                try put(rows.subject) { json in rows.write(select, &json) }
            }
        }
        let count = lines
        try put("end") { $0.member("lines", count) }
    }
}

/// With the line feed.
private func line(_ subject: StaticString, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
    JSONWriter.object { $0.object(subject, members) } + [UInt8(ascii: "\n")]
}
