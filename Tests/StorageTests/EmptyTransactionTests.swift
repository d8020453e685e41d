import Hub
import Primitives
import Storage
import TestSupport
import Testing

/// Transactions in which nothing is changed, as those of retention that finds nothing to delete.
struct EmptyTransactionTests {
    @Test func `nothing is written and no commit counted`() throws {
        let disk = FaultyDisk()
        let store = try open(disk.folder)
        defer { store.close() }
        try Workload.makeTopic.record(in: store)
        let (operations, commits) = (disk.operations, store.counters.commits)
        let key = try store.journal.record { recording throws(StoreError) in
            try recording.topic(named: "builds")
        }
        #expect(key != nil)
        #expect(disk.operations == operations)
        #expect(store.counters.commits == commits)
        try Workload.appendLongEvent.record(in: store)
        #expect(store.counters.commits == commits + 1)
    }

    @Test func `a store that takes no writes is not said to take them again`() throws {
        let disk = FaultyDisk()
        let store = try open(disk.folder)
        defer { store.close() }
        try Workload.makeTopic.record(in: store)
        let told = Locked<[StoreError.Code?]>([])
        store.reportTrouble { error in told.withLock { $0.append(error?.code) } }
        disk.fail(disk.operations..<Int.max / 2, .full)
        #expect(throws: StoreError.self) { try Workload.appendLongEvent.record(in: store) }
        try store.journal.record { recording throws(StoreError) in _ = try recording.openTopicCount }
        #expect(!store.counters.isWritable)
        disk.work()
        try Workload.appendLongEvent.record(in: store)
        #expect(store.counters.isWritable)
        #expect(told.withLock { $0 } == [.full, nil])
    }

    @Test func `what only a counter shows is written`() throws {
        let folder = Folder()
        let store = try open(folder)
        let key = try store.journal.record { recording throws(StoreError) in
            try recording.makeTopic("t", isOpen: true)
        }
        try store.journal.record { recording throws(StoreError) in try recording.withdraw(key, taggedBelow: 3) }
        store.close()
        let again = try open(folder)
        defer { again.close() }
        #expect(try again.openTopics().first?.topic.withdrawnBelow == 3)
    }
}
