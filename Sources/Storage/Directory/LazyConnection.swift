import SQLite

/// A connection that is opened when it is needed, and anew after a failure.
struct LazyConnection {
    let path: String
    let mode: Connection.Mode
    /// Milliseconds to wait for another connection's lock before it is an error.
    let busyTimeout: Int32
    private var open: Connection?

    init(path: String, mode: Connection.Mode, busyTimeout: Int32 = Database.busyMilliseconds) {
        (self.path, self.mode, self.busyTimeout) = (path, mode, busyTimeout)
    }

    mutating func use<Value>(_ body: (Connection) throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        do throws(SQLiteError) {
            let connection =
                if let open { open } else { try Connection(path: path, mode: mode, busyTimeout: busyTimeout) }
            open = connection
            return try body(connection)
        } catch {
            open = nil
            throw error
        }
    }
}
