import Glibc
import Primitives
import SQLite

/// Opens the database of a directory, so that what is not ours to open stays as it is.
enum Database {
    static let busyMilliseconds: Int32 = 1_000

    /// - Parameter steps: the schema's; others in tests of migrations.
    static func open(
        _ directory: DataDirectory, durability: Durability, limits: StoreLimits, time: TimeSource,
        steps: [Migration] = Schema.steps
    ) throws(StoreError) -> sending (core: JournalCore, epoch: String) {
        let path = directory.databasePath
        if try DatabaseHeader.read(path, knownVersion: steps.count) == nil {
            try DatabaseFile.make(at: path, in: directory.path, steps: steps) { connection throws(StoreError) in
                try storing { () throws(SQLiteError) in
                    try connection.insertServer(epoch: DatabaseFile.newEpoch(), position: 0, createdAt: time.wall())
                }
            }
        }
        let connection = try storing { () throws(SQLiteError) in
            try Connection(path: path, mode: .readWrite, busyTimeout: busyMilliseconds)
        }
        try understanding(path) { () throws(StoreError) in
            try accept(connection, path, steps)
            try keepWriteAheadLog(connection, path)
            try storing { () throws(SQLiteError) in try configure(connection, durability, limits) }
        }
        try Migrator(connection, directory: directory.path, steps: steps).migrate(at: time.wall())
        let server = try understanding(path) { () throws(StoreError) in try readServer(connection) }
        let pageBytes = try storing { () throws(SQLiteError) in Int(try connection.pragma("page_size")) }
        let core = JournalCore(
            connection, position: server.position, pageBytes: pageBytes, limits: limits, time: time)
        try core.commit { recording in recording.skipPosition() }
        return (core, server.epoch)
    }

    /// For those who only look, whether a server uses it or not.
    /// - Throws: when there is none, or it is not ours, or of another version than this program writes.
    static func openForReading(_ path: String) throws(StoreError) -> Connection {
        guard let version = try DatabaseHeader.read(path, knownVersion: Schema.steps.count) else {
            throw StoreError(.notPermitted, "There is no database \(path). Name the data directory with --data-dir.")
        }
        guard version == Schema.steps.count else {
            throw StoreError(
                .other,
                "\(path) is of an older version of this program (schema \(version)). Start a server on it first.")
        }
        return try storing { () throws(SQLiteError) in
            let connection = try Connection(path: path, mode: .readOnly, busyTimeout: busyMilliseconds)
            try connection.setCheckpointsOnClose(false)
            return connection
        }
    }

    /// Where nothing but damage can be the reason, such as a table that is not there.
    private static func understanding<Value>(
        _ path: String, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            guard error.code == .other else { throw error }
            throw StoreError(
                .corrupt, "\(path) is damaged. Move it away with its -wal and -shm, and restore a backup or an export.",
                underlying: error.underlying)
        }
    }

    /// Looks at the version once more: it may be newer in the write-ahead log than in the file.
    private static func accept(_ connection: Connection, _ path: String, _ steps: [Migration]) throws(StoreError) {
        let version = try storing { () throws(SQLiteError) in
            try connection.setCheckpointsOnClose(false)
            return Int(try connection.pragma("user_version"))
        }
        guard version <= steps.count else { throw .newer(path, version, known: steps.count) }
        try storing { () throws(SQLiteError) in try connection.setCheckpointsOnClose(true) }
    }

    /// SQLite stays with another journal, without an error, where it can't have this one, such as without shared memory.
    private static func keepWriteAheadLog(_ connection: Connection, _ path: String) throws(StoreError) {
        let mode = try storing { () throws(SQLiteError) in
            let select = try connection.prepare("PRAGMA journal_mode = WAL")
            return try select.step() ? select.text(0) : "none"
        }
        guard mode == "wal" else { throw .noWriteAheadLog(path, mode) }
    }

    private static func configure(
        _ connection: Connection, _ durability: Durability, _ limits: StoreLimits
    ) throws(SQLiteError) {
        let synchronous =
            switch durability {
            case .full: "FULL"
            case .normal: "NORMAL"
            }
        try connection.execute(
            """
            PRAGMA synchronous = \(synchronous); PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(cacheKiB);
            PRAGMA journal_size_limit = \(limits.walRestartBytes);
            """)
        guard let bytes = limits.maxFileBytes else { return }
        // No less than there is: what is there can be read and made smaller.
        let pages = bytes / Int(try connection.pragma("page_size"))
        try connection.execute("PRAGMA max_page_count = \(max(1, pages))")
    }

    /// Of the connection that writes.
    private static let cacheKiB = 16_384

    private static func readServer(
        _ connection: Connection
    ) throws(StoreError) -> (epoch: String, position: UInt64) {
        let row = try storing { () throws(SQLiteError) in
            try connection.prepare(
                """
                SELECT epoch, position, (SELECT max(position) FROM events), (SELECT max(seq) FROM sqlite_sequence)
                FROM server WHERE id = 1
                """)
        }
        guard try storing({ () throws(SQLiteError) in try row.step() }) else { throw .damaged("no row in server") }
        let (epoch, position) = (row.text(0), try row.number(1, of: "the server"))
        _ = try row.number(3, of: "the newest row of a table")
        guard !epoch.isEmpty, row.integer(2) <= position else {
            throw .damaged("position \(position), newest event \(row.integer(2)), epoch \(epoch)")
        }
        return (epoch, UInt64(position))
    }
}

extension StoreError {
    static func noWriteAheadLog(_ path: String, _ mode: String) -> StoreError {
        StoreError(
            .notPermitted,
            "\(path) can't have a write-ahead log here. Use a data directory on a local file system that can be mapped.",
            underlying: "journal_mode stays \(mode)")
    }
}

extension Connection {
    /// The value of a setting that is a number.
    func pragma(_ name: String) throws(SQLiteError) -> Int64 {
        let select = try prepare("PRAGMA \(name)")
        guard try select.step() else { return 0 }
        return select.integer(0)
    }
}
