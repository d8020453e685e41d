import Storage
import Testing

/// A COMMIT whose sync fails has written all of its frames, with the mark of a commit at their end.
struct FailedCommitTests {
    @Test(arguments: Workload.allCases.indices, [1, 2])
    func `what was refused is not there after the process was killed`(_ refused: Int, _ failures: Int) throws {
        let expected = try Workload.dumps()
        let disk = FaultyDisk()
        let store = try open(disk.folder)
        defer { store.close() }
        for transaction in Workload.allCases[..<refused] { try transaction.record(in: store) }
        disk.failSyncs(failures)
        #expect(throws: StoreError.self) { try Workload.allCases[refused].record(in: store) }
        #expect(try found(after: disk) == expected[refused])
        disk.failSyncs(0)
        try Workload.allCases[refused].record(in: store)
        #expect(try found(after: disk) == expected[refused + 1])
    }

    private func found(after disk: FaultyDisk) throws -> [String] {
        let copy = try disk.copyAfterKill()
        return try withExtendedLifetime(copy) { try dump(copy.file("runcast.db")) }
    }
}
