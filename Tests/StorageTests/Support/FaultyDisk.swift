import CFaultyDisk
import FoundationEssentials

/// A folder whose files fail when a test says so: see faulty_disk.h. Stores that are opened in it use it.
final class FaultyDisk: Sendable {
    private let watch: Int32
    let folder: Folder

    enum Failure: Int32, CaseIterable {
        /// SQLITE_FULL.
        case full = 13
        /// SQLITE_IOERR_WRITE.
        case write = 778
        /// SQLITE_IOERR_FSYNC.
        case sync = 1034
        /// SQLITE_BUSY.
        case busy = 5
    }

    init(_ folder: Folder = Folder()) {
        self.folder = folder
        precondition(faulty_disk_install() == 0)
        watch = unsafe faulty_disk_watch(folder.path)
        precondition(watch >= 0, "too many disks at the same time")
    }

    deinit { faulty_disk_unwatch(watch) }

    /// Writes, truncations and syncs so far.
    var operations: Int { faulty_disk_operations(watch) }

    /// The operations with these numbers fail, and no others; `operations` is the number of the next one.
    func fail(_ numbers: Range<Int>, _ failure: Failure, tearing: Bool = false) {
        faulty_disk_fail(watch, numbers.lowerBound, numbers.count, failure.rawValue, tearing ? 1 : 0)
    }

    /// The next syncs fail, and no writes.
    func failSyncs(_ count: Int) { faulty_disk_fail_syncs(watch, Int32(count), Failure.sync.rawValue) }

    /// Nothing reaches the files from the given operation on: the machine has stopped.
    func stop(at operation: Int, tearing: Bool = false) { fail(operation..<Int.max / 2, .write, tearing: tearing) }

    func work() { fail(0..<0, .write) }

    /// Keeps what is sure to survive a loss of power.
    func keepDurable() { faulty_disk_keep_durable(watch) }

    func refuseSharedMemory() { faulty_disk_refuse_shared_memory(watch) }

    /// What another process would find if this one had ended now.
    func copyAfterKill() throws -> Folder { try copy { $0 } }

    /// What would be there if the power had gone now.
    func copyAfterPowerLoss() throws -> Folder { try copy { $0 + ".durable" } }

    private func copy(_ source: (String) -> String) throws -> Folder {
        let copy = Folder()
        for name in ["runcast.db", "runcast.db-wal"] {
            if let bytes = folder.bytes(source(name)) { try copy.write(bytes, to: name) }
        }
        return copy
    }
}
