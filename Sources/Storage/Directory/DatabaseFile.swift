import Glibc
import Primitives
import SQLite

/// Makes databases that are there as a whole or not at all.
enum DatabaseFile {
    /// Makes a database beside its place and moves it there when it is complete and on the disk.
    /// - Parameter fill: what is in it besides the tables, in the same transaction.
    static func make(
        at path: String, in folder: String, steps: [Migration], fill: (Connection) throws(StoreError) -> Void
    ) throws(StoreError) {
        let draft = path + ".new"
        // What an interrupted attempt has left.
        remove(draft)
        do throws(StoreError) {
            try write(draft, steps: steps, fill: fill)
            guard unsafe rename(draft, path) == 0 else { throw StoreError(systemError: errno, "\(path) can't be made") }
            try synchronize(folder)
        } catch {
            remove(draft)
            throw error
        }
    }

    private static func write(
        _ path: String, steps: [Migration], fill: (Connection) throws(StoreError) -> Void
    ) throws(StoreError) {
        let connection = try storing { () throws(SQLiteError) in
            let connection = try Connection(path: path, mode: .create)
            restrict(path)
            try connection.execute(
                "PRAGMA synchronous = FULL; BEGIN IMMEDIATE; PRAGMA application_id = \(Schema.applicationID)")
            for step in steps { try connection.execute(step.sql) }
            try connection.execute("PRAGMA user_version = \(steps.count)")
            return connection
        }
        try fill(connection)
        try storing { () throws(SQLiteError) in try connection.execute("COMMIT") }
    }

    /// Not for everyone, whatever the folder allows; the files that SQLite makes beside it get the same mode.
    static func restrict(_ path: String) { unsafe chmod(path, 0o640) }

    /// Removes a database that is not in use, if it is there.
    static func remove(_ path: String) {
        for file in [path, path + "-journal"] { unsafe unlink(file) }
    }

    /// Has the system write a file, or the names in a folder, to the disk: fsync(2).
    static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(systemError: errno, "\(path) can't be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw StoreError(systemError: errno, "\(path) can't be written to the disk")
        }
    }

    /// Begins with a letter and has no dash; 41 bits that no other directory is likely to have.
    static func newEpoch() -> String {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return "d" + String((0..<8).map { _ in digits[Int.random(in: 0..<36)] })
    }
}

extension Connection {
    func insertServer(
        epoch: String, position: UInt64, removedThrough: Int64 = 0, createdAt time: Timestamp
    ) throws(SQLiteError) {
        let insert = try prepare(
            "INSERT INTO server (id, epoch, position, removed_through, created_at) VALUES (1, ?, ?, ?, ?)")
        try insert.bind(epoch)
        try insert.bind(Int64(position))
        try insert.bind(removedThrough)
        try insert.bind(time.millisecondsSinceEpoch)
        try insert.run()
    }
}
