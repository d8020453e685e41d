import Glibc
import Primitives

/// A folder that belongs to one server at a time.
///
/// Threading: any thread.
public final class DataDirectory: Sendable {
    public let path: String
    /// Holds the lock, and the lock ends with it, however the process ends.
    private let lock: Locked<Int32?>

    public var databasePath: String { Self.databasePath(in: path) }
    static func databasePath(in path: String) -> String { path + "/runcast.db" }
    static func lockPath(in path: String) -> String { path + "/lock" }

    /// Makes the folder if it is missing (only its last component; mode 0750) and takes its lock (flock(2) on `lock` in
    /// it, which then has the process's ID).
    /// - Throws: `inUse`, `notPermitted`, `readOnly`, `full`, `ioFailed`.
    public init(_ path: String) throws(StoreError) {
        if unsafe mkdir(path, 0o750) != 0, errno != EEXIST {
            throw StoreError(systemError: errno, "The data directory \(path) can't be made")
        }
        let lockPath = Self.lockPath(in: path)
        let descriptor = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw StoreError(systemError: errno, "\(lockPath) can't be opened") }
        guard Self.lock(descriptor) else {
            defer { close(descriptor) }
            guard errno == EWOULDBLOCK else { throw StoreError(systemError: errno, "\(lockPath) can't be locked") }
            throw .inUse(path, Self.processID(in: descriptor))
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, unsafe pwrite(descriptor, text, text.count, 0) == text.count else {
            defer { close(descriptor) }
            throw StoreError(systemError: errno, "\(lockPath) can't be written")
        }
        self.path = path
        lock = Locked(descriptor)
    }

    deinit { release() }

    /// Gives the lock back. Doing it again is harmless.
    public func release() {
        if let descriptor = lock.withLock({ $0.take() }) { close(descriptor) }
    }

    /// Who holds the lock of a directory: nil when nobody does, 0 when it is not known who.
    /// - Throws: `notPermitted` and the like when the lock can't be looked at.
    public static func holder(of path: String) throws(StoreError) -> Int32? {
        let lockPath = lockPath(in: path)
        let descriptor = unsafe open(lockPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(systemError: errno, "\(lockPath) can't be opened")
        }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        guard errno == EWOULDBLOCK else { throw StoreError(systemError: errno, "\(lockPath) can't be locked") }
        return processID(in: descriptor) ?? 0
    }

    /// Those who only look who holds the lock have it for a moment (see ``holder(of:)``): it is tried again until that is
    /// over. errno says why it failed.
    private static func lock(_ descriptor: Int32) -> Bool {
        for _ in 0..<lockAttempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK else { return false }
            usleep(lockRetryMicroseconds)
        }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    private static let lockAttempts = 5
    private static let lockRetryMicroseconds: UInt32 = 10_000

    private static func processID(in descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension StoreError {
    static func inUse(_ path: String, _ processID: Int32?) -> StoreError {
        let holder = processID.map { " (process \($0))" } ?? ""
        return StoreError(
            .inUse(processID: processID),
            "The data directory \(path) is in use by another server\(holder). Stop it, or name another with --data-dir."
        )
    }

    /// - Parameter what: a sentence without its end.
    init(systemError: Int32, _ what: String) {
        let code: Code =
            switch systemError {
            case EACCES, EPERM: .notPermitted
            case EROFS: .readOnly
            case ENOSPC, EDQUOT: .full
            default: .ioFailed
            }
        self.init(code, "\(what): \(unsafe String(cString: strerror(systemError))).")
    }
}
