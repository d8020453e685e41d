import Storage
import Testing

/// Every write of every transaction fails, one after the other.
struct FailingDiskTests {
    @Test(arguments: FaultyDisk.Failure.allCases)
    func `a transaction of which any write fails leaves everything as it was, and can be tried again`(
        _ failure: FaultyDisk.Failure
    ) throws {
        let expected = try Workload.dumps()
        var number = 0
        while try run(failing: number, failure, tearing: failure == .write, expected) > 0 { number += 1 }
        // At least one write and one sync for each transaction.
        #expect(number > 2 * Workload.allCases.count)
    }

    /// - Returns: how many transactions failed.
    private func run(
        failing number: Int, _ failure: FaultyDisk.Failure, tearing: Bool, _ expected: [[String]]
    ) throws -> Int {
        let disk = FaultyDisk()
        let path = disk.folder.file("runcast.db")
        let store = try open(disk.folder)
        defer { store.close() }
        let first = disk.operations + number
        disk.fail(first..<first + 1, failure, tearing: tearing)
        var failed = 0
        for (index, transaction) in Workload.allCases.enumerated() {
            let position = try store.lastPosition
            do throws(StoreError) {
                try transaction.record(in: store)
            } catch {
                failed += 1
                if failure == .full { #expect(error.code == .full) }
                let (now, before) = (try dump(path), expected[index])
                #expect(now == before, "operation \(number), transaction \(index)")
                #expect(try store.lastPosition == position)
                try transaction.record(in: store)
                let (again, after) = (try dump(path), expected[index + 1])
                #expect(again == after, "operation \(number), transaction \(index)")
            }
        }
        let (now, after) = (try dump(path), expected.last)
        #expect(now == after, "operation \(number), at the end")
        return failed
    }

    @Test func `nobody is told of what failed, and all are told of the rest in its order`() throws {
        let disk = FaultyDisk()
        let store = try open(disk.folder)
        defer { store.close() }
        let key = try store.journal.record { recording throws(StoreError) in
            try recording.makeTopic("t", isOpen: true)
        }
        var told: [UInt64] = []
        var refused = 0
        for number in 0..<60 {
            let next = disk.operations
            if number % 3 == 1 { disk.fail(next..<next + 1, .full) }
            do throws(StoreError) {
                try store.journal.record { recording throws(StoreError) in
                    try recording.append(.text("\(number)"), to: key)
                } telling: {
                    told.append($0)
                }
            } catch {
                refused += 1
            }
        }
        #expect(refused == 20)
        #expect(told == Array(2..<42))
    }
}
