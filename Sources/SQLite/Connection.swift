import CSQLite

/// One connection to a database file.
///
/// Threading: one thread at a time; it is opened without SQLite's own mutexes. `@safe`: the pointers are made and freed
/// here and are handed to nobody but the connection's statements, which keep it alive.
@safe public final class Connection {
    public enum Mode: Sendable {
        case readOnly
        case readWrite
        /// Makes the file when there is none.
        case create
    }

    /// How far a checkpoint goes (sqlite.org/c3ref/wal_checkpoint_v2.html).
    public enum CheckpointMode: Sendable {
        /// As far as it gets without waiting for anyone.
        case passive
        /// Waits for readers, up to the busy timeout, then has the next commit begin the WAL anew, in place.
        case restart
        /// Waits for readers, up to the busy timeout, then makes the WAL an empty file.
        case truncate
    }

    let handle: OpaquePointer
    /// Frames in the WAL after the newest commit of this connection; see sqlite3_wal_hook().
    private let walFrames: UnsafeMutablePointer<Int32>
    /// By the address of their text.
    private var kept: [UInt: Statement] = [:]

    /// - Parameter busyTimeout: milliseconds to wait for another connection's lock before it is an error.
    public init(path: String, mode: Mode, busyTimeout: Int32 = 0) throws(SQLiteError) {
        let flags =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            // Even a connection that could not be opened has to be closed.
            defer { unsafe sqlite3_close_v2(opened) }
            let message = unsafe String(cString: sqlite3_errstr(code))
            let systemError = unsafe opened == nil ? 0 : sqlite3_system_errno(opened)
            throw SQLiteError(code: code, message: message, context: path, systemError: systemError)
        }
        unsafe self.handle = handle
        unsafe walFrames = .allocate(capacity: 1)
        unsafe walFrames.initialize(to: 0)
        unsafe sqlite3_busy_timeout(handle, busyTimeout)
        // Takes the place of the automatic checkpoint, which is such a hook itself.
        unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                unsafe context?.assumingMemoryBound(to: Int32.self).pointee = frames
                return SQLITE_OK
            }, walFrames)
    }

    deinit {
        kept = [:]
        unsafe sqlite3_close_v2(handle)
        unsafe walFrames.deallocate()
    }

    /// - Parameter milliseconds: see ``init(path:mode:busyTimeout:)``.
    public func setBusyTimeout(_ milliseconds: Int32) { unsafe sqlite3_busy_timeout(handle, milliseconds) }

    /// Runs statements without parameters, separated by semicolons; rows are passed over.
    public func execute(_ sql: String) throws(SQLiteError) {
        try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil), sql)
    }

    /// Compiles one statement.
    public func prepare(_ sql: String) throws(SQLiteError) -> Statement { try Statement(sql, of: self, isKept: false) }

    /// The statement for this text, compiled once and kept, ready for its parameters. It must not outlive the connection.
    public func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
        let address = unsafe UInt(bitPattern: sql.utf8Start)
        if let known = kept[address] {
            known.reset()
            return known
        }
        let statement = try Statement(sql.description, of: self, isKept: true)
        kept[address] = statement
        return statement
    }

    /// False after a failure for which SQLite rolled the transaction back itself.
    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    public var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Rows that the newest INSERT, UPDATE or DELETE touched.
    public var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// Rows that INSERT, UPDATE and DELETE have touched since the connection was opened, whether or not it was committed.
    public var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// Frames in the WAL after the newest commit of this connection.
    public var walFrameCount: Int { unsafe Int(walFrames.pointee) }

    /// - Returns: frames in the WAL, and how many of them are in the database now.
    public func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> (frames: Int, copied: Int) {
        let flag =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var (frames, copied): (Int32, Int32) = (0, 0)
        try check(unsafe sqlite3_wal_checkpoint_v2(handle, nil, flag, &frames, &copied), "checkpoint")
        if mode != .passive { unsafe walFrames.pointee = 0 }
        return (Int(frames), Int(copied))
    }

    /// Whether the WAL may stay as it is when the last connection to the file is closed.
    public func setCheckpointsOnClose(_ isOn: Bool) throws(SQLiteError) {
        try check(unsafe runcast_sqlite_no_checkpoint_on_close(handle, isOn ? 0 : 1), "configuration")
    }

    func check(_ code: Int32, _ context: @autoclosure () -> String) throws(SQLiteError) {
        if code != SQLITE_OK { throw error(code, context()) }
    }

    /// The failure that was just returned.
    func error(_ code: Int32, _ context: String) -> SQLiteError {
        SQLiteError(
            code: code, message: unsafe String(cString: sqlite3_errmsg(handle)), context: context,
            systemError: unsafe sqlite3_system_errno(handle))
    }
}
