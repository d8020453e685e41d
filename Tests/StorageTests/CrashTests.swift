import Storage
import TestSupport
import Testing

/// The process or the machine ends at any write; what is found then is what was told of, and no half of anything.
struct CrashTests {
    @Test(arguments: [false, true])
    func `whatever moment the process is killed at, all transactions that were told of are there`(
        _ tearing: Bool
    ) throws {
        try tryAllMoments(.full, tearing: tearing) { disk in try disk.copyAfterKill() }
    }

    @Test func `whatever moment the process is killed at, nothing that was told of is lost with normal durability`()
        throws
    {
        try tryAllMoments(.normal, tearing: true) { disk in try disk.copyAfterKill() }
    }

    @Test func `whatever moment the power goes at, nothing that was told of is lost with full durability`() throws {
        try tryAllMoments(.full, tearing: false) { disk in try disk.copyAfterPowerLoss() }
    }

    /// With a log that is copied into the database after each transaction, and emptied now and then.
    @Test(arguments: [false, true])
    func `the same holds while the write-ahead log is being copied and emptied`(_ isPowerLoss: Bool) throws {
        try tryAllMoments(.full, tearing: !isPowerLoss) { limits in
            (limits.walCheckpointBytes, limits.walRestartBytes) = (1, 32 << 10)
        } copy: { disk in
            try isPowerLoss ? disk.copyAfterPowerLoss() : disk.copyAfterKill()
        }
    }

    private func tryAllMoments(
        _ durability: Durability, tearing: Bool, _ adjust: (inout StoreLimits) -> Void = { _ in },
        copy: (FaultyDisk) throws -> Folder
    ) throws {
        let expected = try Workload.dumps()
        var moment = 0
        while try !isOver(at: moment, durability, tearing: tearing, expected, adjust, copy) { moment += 1 }
        #expect(moment > Workload.allCases.count)
    }

    /// - Returns: whether all was recorded before the moment came.
    private func isOver(
        at moment: Int, _ durability: Durability, tearing: Bool, _ expected: [[String]],
        _ adjust: (inout StoreLimits) -> Void, _ copy: (FaultyDisk) throws -> Folder
    ) throws -> Bool {
        let disk = FaultyDisk()
        disk.keepDurable()
        var told = 0
        let store = try open(disk.folder, ManualClock(), durability: durability, adjust)
        defer { store.close() }
        disk.stop(at: disk.operations + moment, tearing: tearing)
        for transaction in Workload.allCases {
            do throws(StoreError) {
                try transaction.record(in: store)
            } catch { break }
            told += 1
        }
        // Whatever else is going on ends too.
        disk.stop(at: disk.operations)
        let found = try copy(disk)
        let (there, known) = (try dump(found.file("runcast.db")), expected[told...].prefix(2))
        // One more may be there: it was committed, and the end came before anyone could be told.
        #expect(known.contains(there), "moment \(moment), told of \(told)")
        let again = try open(found)
        defer { again.close() }
        #expect(try again.lastPosition > store.lastPosition)
        for transaction in Workload.allCases.dropFirst(expected.firstIndex(of: there) ?? told) {
            try transaction.record(in: again)
        }
        return told == Workload.allCases.count
    }
}
