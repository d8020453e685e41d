import Hub
import Jobs
import Primitives
import Storage
import TestSupport
import Testing

struct RetentionTests {
    /// A store with a topic, and retention that looks only when it is told to.
    private struct Rig {
        let folder = Folder()
        let clock = ManualClock()
        let observer = NotingObserver()
        let store: Store
        let key: Int64

        init(
            durability: Durability = .normal, _ adjust: (inout StoreRetention) -> Void,
            limits: (inout StoreLimits) -> Void = { _ in }
        ) throws {
            var policy = StoreRetention()
            adjust(&policy)
            store = try open(folder, clock, durability: durability, limits)
            key = try store.journal.record { recording throws(StoreError) in try recording.makeTopic("t", isOpen: true)
            }
            store.startRetention(policy, telling: observer, clock: clock)
        }

        @discardableResult
        func append(_ count: Int, bytes: Int = 10, to key: Int64? = nil) throws -> UInt64 {
            try store.journal.record { recording throws(StoreError) in
                var last: UInt64 = 0
                for _ in 0..<count {
                    last = try recording.append(.text(String(repeating: "x", count: bytes)), to: key ?? self.key)
                }
                return last
            }
        }

        func makeTopic(_ name: String, isOpen: Bool) throws -> Int64 {
            try store.journal.record { recording throws(StoreError) in try recording.makeTopic(name, isOpen: isOpen) }
        }

        func page(after position: UInt64, _ key: Int64? = nil) async throws -> HistoryPage {
            let request = HistoryRequest(
                topic: key ?? self.key, start: .after(position: position), through: .max, maxEvents: 100_000,
                maxBytes: .max)
            return try await withCheckedContinuation { continuation in
                store.history.read(request) { continuation.resume(returning: $0) }
            }.get()
        }
    }

    @Test func `a topic keeps its newest events, by number`() async throws {
        let rig = try Rig { $0.maxEvents = 2_500 }
        defer { rig.store.close() }
        let first = try rig.append(1)
        let last = try rig.append(9_999)
        await rig.store.sweep()
        let page = try await rig.page(after: first)
        #expect(page.events.map(\.position) == Array(last - 2_499...last))
        #expect(page.isBehindEvicted)
        #expect(rig.observer.evicted["t"] == last - 2_500)
        #expect(try await !rig.page(after: last - 2_500).isBehindEvicted)
        #expect(try rig.store.openTopics().first?.topic.published == 10_000)
    }

    @Test func `a topic keeps its newest events, by bytes, and at least the newest`() async throws {
        let rig = try Rig { $0.maxBytes = 1_000 }
        defer { rig.store.close() }
        let last = try rig.append(50, bytes: 92)
        await rig.store.sweep()
        #expect(try await rig.page(after: 0).events.map(\.position) == Array(last - 9...last))
        let long = try rig.append(1, bytes: 5_000)
        await rig.store.sweep()
        #expect(try await rig.page(after: 0).events.map(\.position) == [long])
    }

    @Test func `events go when they are too old, of whatever topic`() async throws {
        let rig = try Rig { $0.maxAge = .seconds(60) }
        defer { rig.store.close() }
        let other = try rig.makeTopic("jobs/1", isOpen: false)
        try rig.append(1_200, to: other)
        let old = try rig.append(10)
        rig.clock.advance(by: .seconds(40))
        let new = try rig.append(10)
        await rig.store.sweep()
        #expect(try await rig.page(after: 0).events.count == 20)
        rig.clock.advance(by: .seconds(21))
        await rig.store.sweep()
        #expect(try await rig.page(after: 0).events.map(\.position) == Array(old + 1...new))
        #expect(try await rig.page(after: 0, other).events.isEmpty)
        #expect(rig.observer.evicted == ["t": old, "jobs/1": old - 10])
    }

    @Test func `a topic of clients that is empty goes when nobody follows it; one of a job stays`() async throws {
        let rig = try Rig { $0.maxAge = .seconds(60) }
        defer { rig.store.close() }
        let other = try rig.makeTopic("jobs/1", isOpen: false)
        _ = try rig.makeTopic("never used", isOpen: true)
        try rig.append(1)
        try rig.append(1, to: other)
        rig.observer.isFollowed = true
        rig.clock.advance(by: .seconds(61))
        await rig.store.sweep()
        #expect(try rig.store.openTopics().map(\.name) == ["never used", "t"])
        #expect(try rig.store.openTopics().last?.topic.newest == nil)
        rig.observer.isFollowed = false
        await rig.store.sweep()
        #expect(try rig.store.openTopics().map(\.name) == ["never used"])
        #expect(rig.observer.removed == ["t"])
        #expect(try rig.store.withStoredTopic(named: "jobs/1") { $0?.published } == 1)
    }

    @Test func `a topic that got an event again is not removed`() async throws {
        let rig = try Rig { $0.maxAge = .seconds(60) }
        defer { rig.store.close() }
        try rig.append(1)
        rig.observer.isFollowed = true
        rig.clock.advance(by: .seconds(61))
        await rig.store.sweep()
        try rig.append(1)
        rig.observer.isFollowed = false
        await rig.store.sweep()
        #expect(try rig.store.openTopics().map(\.name) == ["t"])
    }

    @Test func `the store stays within its bound, the oldest events of any topic go first`() async throws {
        let bound = 3 << 20
        let rig = try Rig {
            $0.maxTotalBytes = bound
        } limits: { limits in
            (limits.walCheckpointBytes, limits.walRestartBytes) = (256 << 10, 1 << 20)
        }
        defer { rig.store.close() }
        let other = try rig.makeTopic("u", isOpen: true)
        for round in 0..<60 {
            try rig.append(100, bytes: 1_000, to: round % 2 == 0 ? other : nil)
            if round % 5 == 4 { await rig.store.sweep() }
        }
        await rig.store.sweep()
        #expect(try usedBytes(rig.folder.file("runcast.db")) <= bound)
        // What was deleted in between is used again: the file is hardly larger than what was in use at any time.
        #expect(rig.folder.size("runcast.db") <= bound + (1 << 20))
        let (t, u) = (try await rig.page(after: 0).events, try await rig.page(after: 0, other).events)
        #expect(t.count + u.count > 1_500)
        let kept = (t + u).map(\.position).sorted()
        #expect(kept == Array(kept[0]...kept[kept.count - 1]))
    }

    @Test func `where jobs alone take too much, a quarter of the bound is left to events`() async throws {
        let bound = 1 << 20
        let rig = try Rig { $0.maxTotalBytes = bound }
        defer { rig.store.close() }
        let job = Job(
            id: .random(), kind: "k", input: .string(String(repeating: "x", count: 2 << 20)), timeout: nil,
            createdAt: Timestamp(millisecondsSinceEpoch: 0))
        try rig.store.journal.record { recording throws(StoreError) in
            try recording.apply(.jobCreated(job, serial: 1))
        }
        try rig.append(400, bytes: 1_000)
        await rig.store.sweep()
        let bytes = try await rig.page(after: 0).events.map { $0.fields?.count ?? 0 }.reduce(0, +)
        #expect(bytes > bound / 4 - 2_000 && bytes <= bound / 4)
    }

    @Test func `what a bound of the file refuses is full, and goes again when events have gone`() async throws {
        let folder = Folder()
        let store = try open(folder) { $0.maxFileBytes = 1 << 20 }
        defer { store.close() }
        let key = try store.journal.record { recording throws(StoreError) in try recording.makeTopic("t", isOpen: true)
        }
        func append() throws(StoreError) {
            try store.journal.record { recording throws(StoreError) in
                _ = try recording.append(.text(String(repeating: "x", count: 20_000)), to: key)
            }
        }
        let refusal = #expect(throws: StoreError.self) { for _ in 0..<100 { try append() } }
        #expect(refusal?.code == .full)
        #expect(refusal?.isFull == true)
        #expect(throws: StoreError.self) { try append() }
        #expect(try usedBytes(folder.file("runcast.db")) <= 1 << 20)
        var policy = StoreRetention()
        policy.maxEvents = 10
        store.startRetention(policy, telling: NotingObserver(), clock: ManualClock())
        await store.sweep()
        try append()
    }

    @Test func `a removed topic's events go in pieces, also after a restart`() async throws {
        let folder = Folder()
        let first = try open(folder)
        try first.journal.record { recording throws(StoreError) in
            let key = try recording.makeTopic("t", isOpen: true)
            for _ in 0..<3_500 { _ = try recording.append(.text("x"), to: key) }
            try recording.removeTopic(key)
        }
        first.close()
        let store = try open(folder)
        defer { store.close() }
        #expect(try store.openTopics().isEmpty)
        let (observer, clock) = (NotingObserver(), ManualClock())
        store.startRetention(StoreRetention(), telling: observer, clock: clock)
        await store.sweep()
        #expect(try !dump(folder.file("runcast.db")).contains { $0.hasPrefix("events ") || $0.hasPrefix("topics ") })
        #expect(observer.evicted.isEmpty)
    }

    @Test func `bounds are looked at when the interval is over, without being asked`() async throws {
        let rig = try Rig { $0.maxEvents = 100 }
        defer { rig.store.close() }
        // Not beyond the bound by so much that it would not wait.
        let last = try rig.append(103)
        await rig.clock.waitForSleepers()
        rig.clock.advance(by: StoreRetention().interval)
        await rig.observer.waitForEviction()
        #expect(rig.observer.evicted["t"] == last - 100)
    }

    @Test func `what is far beyond its bound does not wait for the interval`() async throws {
        let rig = try Rig { $0.maxEvents = 100 }
        defer { rig.store.close() }
        let last = try rig.append(107)
        await rig.observer.waitForEviction()
        #expect(rig.observer.evicted["t"] == last - 100)
    }

    @Test func `a sweep that fails is made up for by the next`() async throws {
        let disk = FaultyDisk()
        let store = try open(disk.folder)
        defer { store.close() }
        let observer = NotingObserver()
        let clock = ManualClock()
        var policy = StoreRetention()
        policy.maxEvents = 10
        try store.journal.record { recording throws(StoreError) in
            let key = try recording.makeTopic("t", isOpen: true)
            for _ in 0..<30 { _ = try recording.append(.text("x"), to: key) }
        }
        disk.stop(at: disk.operations)
        store.startRetention(policy, telling: observer, clock: clock)
        await store.sweep()
        #expect(observer.evicted.isEmpty)
        disk.work()
        await store.sweep()
        #expect(observer.evicted == ["t": 21])
    }
}
