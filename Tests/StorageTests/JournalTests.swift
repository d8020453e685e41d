import Hub
import Primitives
import Storage
import Testing

struct JournalTests {
    /// Submits units and waits until all are answered; the journal's thread is held up meanwhile, so that they meet.
    private func submitTogether(
        _ store: Store, count: Int, _ write: @escaping @Sendable (Int, inout Recording) throws(StoreError) -> UInt64
    ) async -> [(number: Int, result: Result<UInt64, StoreError>)] {
        let answers = Answers(count)
        let gate = Gate()
        let holder = OwnThread(name: "holder") {
            _ = try? store.withStoredTopic(named: "t") { _ in gate.waitUntilOpen() }
        }
        gate.waitUntilEntered()
        for number in 0..<count {
            do throws(StoreError) {
                try store.journal.submit(byteCount: 1) { recording throws(StoreError) in
                    try write(number, &recording)
                } done: {
                    answers.add(number, $0)
                }
            } catch { answers.add(number, .failure(error)) }
        }
        gate.open()
        holder.join()
        return await answers.all()
    }

    private func topic(_ store: Store) throws -> Int64 {
        try store.journal.record { recording throws(StoreError) in try recording.makeTopic("t", isOpen: true) }
    }

    @Test func `units are committed together, and answered in the order of their numbers`() async throws {
        let disk = FaultyDisk()
        let store = try open(disk.folder)
        defer { store.close() }
        let key = try topic(store)
        let before = disk.operations
        let answers = await submitTogether(store, count: 500) { number, recording throws(StoreError) in
            try recording.append(.text("\(number)"), to: key)
        }
        #expect(answers.map(\.number) == Array(0..<500))
        #expect(try answers.map { try $0.result.get() } == (0..<500).map { UInt64($0 + 2) })
        // One by one there would be a sync for each. The first may have been taken before the others came.
        #expect(disk.operations - before < 100)
    }

    @Test func `a unit that fails does not fail the others, and takes no number`() async throws {
        let store = try open(Folder()) { $0.maxFileBytes = 1 << 20 }
        defer { store.close() }
        let key = try topic(store)
        let tooLong = NewEvent.text(String(repeating: "x", count: 2 << 20))
        let answers = await submitTogether(store, count: 20) { number, recording throws(StoreError) in
            try recording.append(number % 5 == 3 ? tooLong : .text("\(number)"), to: key)
        }
        let failed = answers.filter { if case .failure(let error) = $0.result { error.code == .full } else { false } }
        #expect(failed.map(\.number) == [3, 8, 13, 18])
        #expect(answers.compactMap { try? $0.result.get() } == (0..<16).map { UInt64($0 + 2) })
        #expect(try store.openTopics().first?.topic.published == 16)
    }

    @Test func `units beyond the bound are refused at once`() async throws {
        let store = try open(Folder()) { $0.maxPendingUnits = 4 }
        defer { store.close() }
        let key = try topic(store)
        let answers = await submitTogether(store, count: 40) { number, recording throws(StoreError) in
            try recording.append(.text("\(number)"), to: key)
        }
        let refused = answers.count {
            if case .failure(let error) = $0.result { error.code == .tooManyPending } else { false }
        }
        // Those that the thread had taken before it was held up make room for as many.
        #expect(32...36 ~= refused)
        #expect(try store.openTopics().first?.topic.published == UInt64(40 - refused))
    }

    @Test func `what is recorded by two threads is told in the order of the numbers`() async throws {
        let store = try open(Folder())
        defer { store.close() }
        let key = try topic(store)
        let told = Locked<[UInt64]>([])
        let answers = Answers(400)
        let writer = OwnThread(name: "writer") {
            for _ in 0..<400 {
                _ = try? store.journal.record { recording throws(StoreError) in
                    try recording.append(.text("record"), to: key)
                } telling: { position in
                    let position = position
                    told.withLock { $0.append(position) }
                }
            }
        }
        for number in 0..<400 {
            try store.journal.submit(byteCount: 1) { recording throws(StoreError) in
                try recording.append(.text("submit"), to: key)
            } done: { result in
                if let position = try? result.get() { told.withLock { $0.append(position) } }
                answers.add(number, result)
            }
        }
        writer.join()
        _ = await answers.all()
        #expect(told.withLock { $0 } == (0..<800).map { UInt64($0 + 2) })
    }

    @Test func `what was submitted before the close is recorded, what comes later is refused`() async throws {
        let folder = Folder()
        let store = try open(folder)
        let key = try topic(store)
        let answers = Answers(50)
        for number in 0..<50 {
            try store.journal.submit(byteCount: 1) { recording throws(StoreError) in
                try recording.append(.text("\(number)"), to: key)
            } done: {
                answers.add(number, $0)
            }
        }
        store.close()
        #expect(await answers.all().count { (try? $0.result.get()) != nil } == 50)
        let late = #expect(throws: StoreError.self) {
            try store.journal.submit(byteCount: 1) { _ throws(StoreError) in
                1
            } done: { _ in
            }
        }
        #expect(late?.code == .closed)
        #expect(throws: StoreError.self) { try store.journal.record { _ throws(StoreError) in } }
        #expect(throws: StoreError.self) { try store.loadJobs() }
        store.close()
        #expect(folder.names == ["lock", "runcast.db"])
    }

    @Test func `an error of the caller's own takes back what was recorded before it`() throws {
        let store = try open(Folder())
        defer { store.close() }
        let key = try topic(store)
        let refusal = StoreError(.other, "no")
        #expect(throws: refusal) {
            try store.journal.record { recording throws(StoreError) in
                _ = try recording.append(.text("1"), to: key)
                _ = try recording.makeTopic("u", isOpen: true)
                try recording.removeTopic(key)
                throw refusal
            }
        }
        #expect(try store.openTopics().map(\.name) == ["t"])
        #expect(try store.withStoredTopic(named: "u") { $0 == nil })
        #expect(
            try store.journal.record { recording throws(StoreError) in try recording.append(.text("1"), to: key) } == 2)
    }

    @Test func `a topic's name can be used again at once, and its key never`() throws {
        let store = try open(Folder())
        defer { store.close() }
        let old = try topic(store)
        let new = try store.journal.record { recording throws(StoreError) in
            for number in 0..<1_000 { _ = try recording.append(.text("\(number)"), to: old) }
            try recording.removeTopic(old)
            return try recording.makeTopic("t", isOpen: true)
        }
        #expect(new > old)
        #expect(throws: StoreError.self) {
            try store.journal.record { recording throws(StoreError) in try recording.append(.text("late"), to: old) }
        }
        let stored = try store.withStoredTopic(named: "t") { $0.map { ($0.key, $0.published) } }
        #expect(stored?.0 == new)
        #expect(stored?.1 == 0)
    }
}
