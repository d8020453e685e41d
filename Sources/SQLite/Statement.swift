import CSQLite

/// A compiled statement. Parameters are bound in their order, then it is run or its rows are read.
///
///     let statement = try connection.statement("SELECT name FROM topics WHERE key = ?")
///     try statement.bind(key)
///     if try statement.step() { use(statement.text(0)) }
///
/// Threading: that of its connection. `@safe`: the pointer is made and freed here and handed to nobody.
@safe public final class Statement {
    private let handle: OpaquePointer
    /// Held by statements that are the caller's; the kept ones are held by the connection and must not outlive it.
    private let owner: Connection?
    private unowned let connection: Connection
    public let sql: String
    private var boundCount: Int32 = 0

    init(_ sql: String, of connection: Connection, isKept: Bool) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        try connection.check(unsafe sqlite3_prepare_v3(connection.handle, sql, -1, flags, &prepared, nil), sql)
        guard let handle = unsafe prepared else { preconditionFailure("an empty statement") }
        unsafe self.handle = handle
        self.sql = sql
        self.connection = connection
        owner = isKept ? nil : connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    // MARK: Parameters

    public func bind(_ value: Int64) throws(SQLiteError) {
        boundCount += 1
        try check(unsafe sqlite3_bind_int64(handle, boundCount, value))
    }

    public func bind(_ value: Int64?) throws(SQLiteError) {
        if let value { try bind(value) } else { try bindNull() }
    }

    public func bind(_ value: Bool) throws(SQLiteError) { try bind(value ? 1 : 0 as Int64) }

    public func bind(_ value: String) throws(SQLiteError) {
        boundCount += 1
        var value = value
        let index = boundCount
        try check(
            value.withUTF8 { text in
                let bytes = UnsafeRawBufferPointer(text)
                return unsafe sqlite3_bind_text64(
                    handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
                    UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
            })
    }

    public func bind(_ value: String?) throws(SQLiteError) {
        if let value { try bind(value) } else { try bindNull() }
    }

    /// UTF-8 that is stored as text.
    public func bind(text value: [UInt8]) throws(SQLiteError) {
        boundCount += 1
        let index = boundCount
        try check(
            unsafe value.withUnsafeBytes { bytes in
                unsafe sqlite3_bind_text64(
                    handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
                    UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
            })
    }

    public func bind(text value: [UInt8]?) throws(SQLiteError) {
        if let value { try bind(text: value) } else { try bindNull() }
    }

    public func bind(_ value: [UInt8]) throws(SQLiteError) {
        boundCount += 1
        let index = boundCount
        guard !value.isEmpty else { return try check(unsafe sqlite3_bind_zeroblob(handle, index, 0)) }
        try check(
            unsafe value.withUnsafeBytes { bytes in
                unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), transient)
            })
    }

    public func bind(_ value: [UInt8]?) throws(SQLiteError) {
        if let value { try bind(value) } else { try bindNull() }
    }

    public func bindNull() throws(SQLiteError) {
        boundCount += 1
        try check(unsafe sqlite3_bind_null(handle, boundCount))
    }

    // MARK: Running

    /// The next row; false at the end. After an error or the end the statement is reset.
    public func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        defer { reset() }
        guard code == SQLITE_DONE else { throw connection.error(code, sql) }
        return false
    }

    /// Runs to the end; rows are passed over.
    public func run() throws(SQLiteError) { while try step() {} }

    /// Ready for new parameters; ends the read transaction that unread rows hold. The former error was thrown already.
    public func reset() {
        boundCount = 0
        unsafe sqlite3_reset(handle)
    }

    // MARK: The row that `step()` arrived at. Columns count from 0.

    public func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }
    public func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }
    public func bool(_ column: Int32) -> Bool { integer(column) != 0 }
    public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Empty for NULL. Bytes that are no UTF-8 are repaired.
    public func text(_ column: Int32) -> String {
        guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Of a text or a blob; empty for NULL.
    public func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    public func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    private func check(_ code: Int32) throws(SQLiteError) { try connection.check(code, sql) }
}

/// SQLITE_TRANSIENT: SQLite makes a copy before the call returns. The macro is a cast, which Swift does not import.
private var transient: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

/// A null pointer would bind NULL instead of an empty text.
private var emptyText: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(StaticString("").utf8Start).assumingMemoryBound(to: CChar.self)
}
