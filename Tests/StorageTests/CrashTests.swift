import Storage
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

    private func tryAllMoments(
        _ durability: Durability, tearing: Bool, _ copy: (FaultyDisk) throws -> Folder
    ) throws {
        let expected = try Workload.dumps()
        var moment = 0
        while try !isOver(at: moment, durability, tearing: tearing, expected, copy) { moment += 1 }
        #expect(moment > Workload.allCases.count)
    }

    /// - Returns: whether all was recorded before the moment came.
    private func isOver(
        at moment: Int, _ durability: Durability, tearing: Bool, _ expected: [[String]],
        _ copy: (FaultyDisk) throws -> Folder
    ) throws -> Bool {
        let disk = FaultyDisk()
        disk.keepDurable()
        var told = 0
        let store = try open(disk.folder, durability: durability)
        defer { store.close() }
        disk.stop(at: disk.operations + moment, tearing: tearing)
        for transaction in Workload.allCases {
            do throws(StoreError) {
                try transaction.record(in: store)
            } catch { break }
            told += 1
        }
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
