import Glibc
import SQLite

extension StoreError {
    /// What a failure of SQLite means to whoever keeps the directory.
    init(_ error: SQLiteError) {
        let (code, message): (Code, String) =
            switch error.kind {
            case .full:
                (.full, "The store is full. Free some space on its disk, or raise the bound on its size.")
            case .readOnly: (.readOnly, "The store can't be written: its file system or its files are read-only.")
            case .ioFailed where error.systemError == ENOSPC || error.systemError == EDQUOT:
                (.full, "The disk of the store is full. Free some space.")
            case .ioFailed where error.systemError == EROFS:
                (.readOnly, "The store can't be written: its file system is read-only.")
            case .ioFailed: (.ioFailed, "The disk of the store failed to read or write. See the system's log.")
            case .cannotOpen: (.notPermitted, "A file of the store can't be opened. Check its owner and permissions.")
            case .corrupt: (.corrupt, "The store is damaged. Keep its files, and restore a backup or an export.")
            case .busy: (.ioFailed, "Another program has a lock on the store.")
            case .tooBig: (.other, "This is too big to be stored.")
            case .outOfMemory: (.other, "There is not enough memory.")
            case .constraint, .interrupted, .other: (.other, "The store failed.")
            }
        self.init(code, message, underlying: error.description)
    }
}

/// Runs `body` and says what its failure means.
func storing<Result: ~Copyable>(_ body: () throws(SQLiteError) -> Result) throws(StoreError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw StoreError(error) }
}
