import CSQLite

/// What SQLite said when it failed.
public struct SQLiteError: Error, Sendable, Hashable {
    /// The result codes that callers tell apart (sqlite.org/rescode.html).
    public enum Kind: Sendable, Hashable {
        /// SQLITE_BUSY: another connection has a lock.
        case busy
        /// SQLITE_FULL: the disk or the allowed number of pages is used up.
        case full
        /// SQLITE_IOERR: a read or a write failed.
        case ioFailed
        /// SQLITE_READONLY.
        case readOnly
        /// SQLITE_CANTOPEN, SQLITE_PERM or SQLITE_AUTH.
        case cannotOpen
        /// SQLITE_CORRUPT or SQLITE_NOTADB.
        case corrupt
        /// SQLITE_CONSTRAINT.
        case constraint
        /// SQLITE_TOOBIG: a text or blob beyond SQLite's bound, 1,000,000,000 bytes.
        case tooBig
        /// SQLITE_NOMEM.
        case outOfMemory
        /// SQLITE_INTERRUPT.
        case interrupted
        case other
    }

    /// SQLite's extended result code.
    public let code: Int32
    /// In SQLite's words.
    public let message: String
    /// What it was doing: the statement, or the file that was opened.
    public let context: String
    /// errno of the failed system call, 0 when none is known.
    public let systemError: Int32

    public init(code: Int32, message: String, context: String, systemError: Int32 = 0) {
        (self.code, self.message, self.context) = (code, message, context)
        self.systemError = systemError
    }

    public var kind: Kind {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_IOERR: .ioFailed
        case SQLITE_READONLY: .readOnly
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_TOOBIG: .tooBig
        case SQLITE_NOMEM: .outOfMemory
        case SQLITE_INTERRUPT: .interrupted
        default: .other
        }
    }
}

extension SQLiteError: CustomStringConvertible {
    /// One line: a statement may have several, and more than is of interest.
    public var description: String {
        let words = context.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(message) (SQLite \(code)): \(words.prefix(80))"
    }
}
