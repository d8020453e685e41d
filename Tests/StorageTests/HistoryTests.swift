import Hub
import Storage
import TestSupport
import Testing

struct HistoryTests {
    /// What a topic has, kept beside the store.
    private struct Model {
        var events: [StoredEvent] = []
        var withdrawnBelow: UInt32 = 0

        func page(_ request: HistoryRequest) -> Result<(start: UInt64?, events: [StoredEvent]), HistoryError> {
            var start: UInt64 = 0
            var ofID: UInt64?
            switch request.start {
            case .beginning: break
            case .after(let position): start = position
            case .afterID(let id):
                guard let known = events.last(where: { $0.id == id && $0.position <= request.through }) else {
                    return .failure(.unknownID)
                }
                start = known.position
                ofID = start
            }
            let events = events.filter { $0.position > start && $0.position <= request.through }.map { event in
                guard 1..<max(1, withdrawnBelow) ~= event.withdrawalTag else { return event }
                return StoredEvent(
                    position: event.position, id: event.id, isJSON: event.isJSON, withdrawalTag: event.withdrawalTag,
                    fields: nil)
            }
            return .success((ofID, events))
        }
    }

    private func read(_ store: Store, _ request: HistoryRequest) async -> Result<HistoryPage, HistoryError> {
        await withCheckedContinuation { continuation in
            store.history.read(request) { continuation.resume(returning: $0) }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `pages are what the model has, whatever the start, the end and the bounds`(_ seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let store = try open(Folder())
        defer { store.close() }
        var models = [Model(), Model(), Model()]
        var keys: [Int64] = []
        for index in models.indices {
            keys.append(
                try store.journal.record { recording throws(StoreError) in
                    try recording.makeTopic("t\(index)", isOpen: false)
                })
        }
        for _ in 0..<40 {
            let (index, count) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<8, using: &random))
            let events = (0..<count).map { _ in
                NewEvent.text(
                    String(repeating: "x", count: Int.random(in: 0..<50, using: &random)),
                    id: random.chance(oneIn: 2) ? "id-\(Int.random(in: 0..<9, using: &random))" : nil,
                    tag: UInt32.random(in: 0..<6, using: &random))
            }
            let bound: UInt32 = random.chance(oneIn: 8) ? .random(in: 1..<6, using: &random) : 0
            let positions = try store.journal.record { recording throws(StoreError) in
                if bound > 0 { try recording.withdraw(keys[index], taggedBelow: bound) }
                var positions: [UInt64] = []
                for event in events { positions.append(try recording.append(event, to: keys[index])) }
                return positions
            }
            models[index].withdrawnBelow = max(models[index].withdrawnBelow, bound)
            models[index].events += zip(positions, events).map { position, event in
                StoredEvent(
                    position: position, id: event.id, isJSON: event.isJSON, withdrawalTag: event.withdrawalTag,
                    fields: event.fields)
            }
            for _ in 0..<4 { try await check(store, &random, keys, models) }
        }
    }

    private func check(_ store: Store, _ random: inout SplitMix, _ keys: [Int64], _ models: [Model]) async throws {
        let index = Int.random(in: 0..<3, using: &random)
        let last = try store.lastPosition
        let start: HistoryRequest.Start =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: .beginning
            case 1: .after(position: .random(in: 0...last, using: &random))
            default: .afterID("id-\(Int.random(in: 0..<10, using: &random))")
            }
        let request = HistoryRequest(
            topic: keys[index], start: start,
            through: random.chance(oneIn: 2) ? .max : .random(in: 0...last, using: &random),
            maxEvents: .random(in: 1..<12, using: &random), maxBytes: .random(in: 1..<200, using: &random))
        switch (await read(store, request), models[index].page(request)) {
        case (.failure(let error), .failure(let expected)): #expect(error == expected)
        case (.success(let page), .success((let start, let all))):
            #expect(page.startPosition == start)
            #expect(page.events == Array(all.prefix(page.events.count)))
            #expect(page.isComplete == (page.events.count == all.count))
            #expect(!page.isBehindEvicted)
            let bytes = page.events.map { $0.fields?.count ?? 0 }
            // It ends with the event that reaches the bound, and not before, unless the number of events does.
            #expect(bytes.dropLast().reduce(0, +) < request.maxBytes)
            let isFull = page.events.count == request.maxEvents || bytes.reduce(0, +) >= request.maxBytes
            #expect(page.isComplete || isFull)
        case (let page, let expected): Issue.record("\(request): \(page), expected \(expected)")
        }
    }

    @Test func `who comes back to a topic that clients made anew learns that its events are gone`() async throws {
        let store = try open(Folder())
        defer { store.close() }
        let (first, key, second) = try store.journal.record { recording throws(StoreError) in
            let old = try recording.makeTopic("t", isOpen: true)
            let first = try recording.append(.text("1"), to: old)
            try recording.removeTopic(old)
            let key = try recording.makeTopic("t", isOpen: true)
            return (first, key, try recording.append(.text("2"), to: key))
        }
        for (position, isBehindEvicted) in [(first - 1, true), (first, false), (second, false)] {
            let request = HistoryRequest(
                topic: key, start: .after(position: position), through: .max, maxEvents: 10, maxBytes: 1_000)
            #expect(try await read(store, request).get().isBehindEvicted == isBehindEvicted)
        }
    }

    @Test func `a page of a topic that was removed tells that its events are gone`() async throws {
        let store = try open(Folder())
        defer { store.close() }
        let key = try store.journal.record { recording throws(StoreError) in
            let key = try recording.makeTopic("t", isOpen: true)
            for number in 0..<400 { _ = try recording.append(.text("\(number)", id: "id"), to: key) }
            try recording.removeTopic(key)
            return key
        }
        func request(_ start: HistoryRequest.Start) -> HistoryRequest {
            HistoryRequest(topic: key, start: start, through: .max, maxEvents: 10, maxBytes: 1_000)
        }
        let page = try await read(store, request(.after(position: 3))).get()
        #expect(page.events.isEmpty && page.isBehindEvicted && page.isComplete)
        await #expect(throws: HistoryError.unknownID) { try await read(store, request(.afterID("id"))).get() }
    }

    @Test func `what can't be read is unreadable, and after the close everything is`() async throws {
        let folder = Folder()
        let store = try open(folder)
        store.close()
        let request = HistoryRequest(topic: 1, start: .beginning, through: .max, maxEvents: 1, maxBytes: 1)
        await #expect(throws: HistoryError.unreadable) { try await read(store, request).get() }
    }
}
