import SQLite

extension Connection {
    /// Commits. If that fails, nothing of the transaction is left, in the write-ahead log either.
    ///
    /// A COMMIT that fails in its sync has written all of its frames, the last one with the mark of a commit. SQLite counts
    /// them as free, but if the process were killed now, the next one would take them for committed, since their checksums
    /// are right (sqlite.org/walformat.html). So they are written over at once. Each frame's checksum goes on from that of
    /// the frame before, so the first frame is enough, and it does not matter whether its sync succeeds.
    func commitOrErase() throws(SQLiteError) {
        do throws(SQLiteError) {
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            try? eraseUncommittedFrames()
            throw error
        }
    }

    /// Commits a page with what it had. Setting `user_version` writes the page even where the number stays; an UPDATE that
    /// changes nothing does not.
    private func eraseUncommittedFrames() throws(SQLiteError) {
        do throws(SQLiteError) {
            try execute("BEGIN IMMEDIATE")
            try execute("PRAGMA user_version = \(try pragma("user_version"))")
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }
}
