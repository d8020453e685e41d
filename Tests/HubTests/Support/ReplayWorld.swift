import Hub
import TestSupport
import Testing

/// A hub over a history, what happens to both, and those who read.
struct ReplayWorld {
    private struct Reader {
        var follower: Follower
        /// Behind which event it began; -1 before all.
        let start: Int
        /// What was gone when it came, if it is a newcomer: by their orders, and by their tags.
        let gone: Set<Int>
        let goneBelow: [String: UInt32]
        let dropped: Set<Int>
        var received: [String: [ReplayModel.Received]] = [:]
        let maxBytes: Int
    }

    private let names: [String]
    private let seed: UInt64
    private var random: SplitMix
    private let recorder = Recorder(history: FakeHistory(answersAtOnce: false))
    private let ringSize: Int
    private var topics: [String: Topic] = [:]
    private var model = ReplayModel()
    private var readers: [Reader] = []
    private var (withdrawnBelow, hiddenBelow): ([String: UInt32], [String: UInt32]) = ([:], [:])
    private var tag: UInt32 = 1
    private var canFail = false

    init(seed: UInt64, topics names: [String]) throws {
        self.seed = seed
        self.names = names
        random = SplitMix(seed: seed)
        ringSize = .random(in: 1...6, using: &random)
        canFail = random.chance(oneIn: 4)
        try makeTopics()
    }

    private static func isRecorded(_ name: String) -> Bool { name != "ticks" }

    private mutating func makeTopics() throws {
        for name in names {
            topics[name] =
                Self.isRecorded(name)
                ? try recorder.topic(
                    name, beginning: .stored, keeping: ringSize, hiddenBelow: hiddenBelow[name] ?? 0,
                    withdrawnBelow: withdrawnBelow[name] ?? 0)
                : try recorder.hub.topic(name, beginning: .stored, keeping: ringSize)
        }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        recorder.history.set(isReadable: true)
        for index in readers.indices {
            var heard = -1
            while heard < readers[index].follower.driver.ready.count || recorder.history.pendingCount > 0 {
                heard = readers[index].follower.driver.ready.count
                recorder.history.answerAll()
                read(index, maxBytes: readers[index].maxBytes, untilDry: true)
            }
            check(readers[index], isDone: true)
        }
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<38: for _ in 0..<Int.random(in: 1...4, using: &random) { try publish() }
        case 38..<62:
            if let index = readers.indices.randomElement(using: &random) {
                read(index, maxBytes: .random(in: 1...400, using: &random), untilDry: random.chance(oneIn: 3))
            }
        case 62..<82: answer()
        case 82..<86: if readers.count < 6 { try join(after: nil) }
        case 86..<91: try comeBack()
        case 91..<94: drop()
        case 94..<96: withdraw()
        case 96..<97: hide()
        case 97..<98: if canFail { recorder.history.set(isReadable: random.chance(oneIn: 2)) }
        default: try restart()
        }
    }

    private mutating func publish() throws {
        let name = names.randomElement(using: &random)!
        let own = random.chance(oneIn: 3) ? "own.\(model.events.count)" : nil
        let eventTag: UInt32 =
            Self.isRecorded(name) && random.chance(oneIn: 2) ? .random(in: 1...tag + 1, using: &random) : 0
        let data = "\(model.events.count)"
        let receipt =
            Self.isRecorded(name)
            ? try recorder.publish(data, to: topics[name]!, id: own, tag: eventTag)
            : try recorder.hub.publish(data, to: topics[name]!, id: own, tag: eventTag)
        let position = recorder.hub.position
        let sharedID = position.minor == 0 ? "e-\(position.durable)" : "e-\(position.durable).\(position.minor)"
        let isWithdrawn = 1..<max(1, withdrawnBelow[name] ?? 0) ~= eventTag
        let order = model.published(
            name, sharedID: sharedID, id: try #require(receipt).id, tag: eventTag, isWithdrawn: isWithdrawn)
        // A tag below the bound is hidden from those who come from now on, also when it is published late.
        let bound = hiddenBelow[name] ?? 0
        model.change(name, where: { $0.order == order && 1..<max(1, bound) ~= $0.tag }) { $0.isHidden = true }
    }

    private mutating func answer() {
        guard recorder.history.pendingCount > 0 else { return }
        recorder.history.answer(
            .random(in: 0..<recorder.history.pendingCount, using: &random), isEarly: random.chance(oneIn: 2))
    }

    private mutating func drop() {
        guard let name = names.filter(Self.isRecorded).randomElement(using: &random) else { return }
        let kept = model.events.filter { $0.topic == name && !$0.isDropped }
        guard let newest = kept.randomElement(using: &random),
            random.chance(oneIn: 6) || newest.order != kept.last?.order,
            let number = UInt64(newest.sharedID.dropFirst(2))
        else { return }
        recorder.drop(from: topics[name]!, through: number)
        model.change(name, where: { $0.order <= newest.order }) { $0.isDropped = true }
    }

    private mutating func withdraw() {
        guard let name = names.filter(Self.isRecorded).randomElement(using: &random) else { return }
        tag += 1
        withdrawnBelow[name] = tag
        let bound = tag
        recorder.withdraw(from: topics[name]!, taggedBelow: bound)
        model.change(name, where: { 1..<bound ~= $0.tag }) { $0.isWithdrawn = true }
    }

    private mutating func hide() {
        guard let name = names.filter(Self.isRecorded).randomElement(using: &random) else { return }
        tag += 1
        hiddenBelow[name] = tag
        let bound = tag
        recorder.hub.hide(in: topics[name]!, taggedBelow: bound)
        model.change(name, where: { 1..<bound ~= $0.tag }) { $0.isHidden = true }
    }

    // MARK: Readers

    private mutating func join(after id: String?) throws {
        let request = SubscriptionRequest(
            topics: try names.map { try TopicName($0) }, policy: .all, lastEventID: id)
        let start = id.flatMap { model.order(ofID: $0) } ?? -1
        var (gone, goneBelow): (Set<Int>, [String: UInt32]) = ([], [:])
        if id == nil {
            gone = Set(model.events.filter { $0.isGone || !Self.isRecorded($0.topic) }.map(\.order))
            for name in names { goneBelow[name] = max(withdrawnBelow[name] ?? 0, hiddenBelow[name] ?? 0) }
        }
        readers.append(
            Reader(
                follower: try Follower(recorder.hub, request), start: start, gone: gone, goneBelow: goneBelow,
                dropped: Set(model.events.filter(\.isDropped).map(\.order)),
                maxBytes: .random(in: 1...2_000, using: &random)))
    }

    private mutating func comeBack() throws {
        guard let index = readers.indices.randomElement(using: &random) else { return }
        let reader = readers.remove(at: index)
        check(reader, isDone: false)
        reader.follower.leave()
        guard !reader.follower.lastEventID.isEmpty else { return }
        try join(after: reader.follower.lastEventID)
    }

    private mutating func restart() throws {
        let cursors = readers.map(\.follower.lastEventID).filter { !$0.isEmpty }
        for reader in readers { check(reader, isDone: false) }
        readers = []
        recorder.restart()
        try makeTopics()
        for cursor in cursors { try join(after: cursor) }
    }

    private mutating func read(_ index: Int, maxBytes: Int, untilDry: Bool) {
        let follower = readers[index].follower
        let events = untilDry ? follower.read(maxBytes: maxBytes) : follower.readOnce(maxBytes: maxBytes)
        for event in events {
            if event.name == "gap" {
                for name in names where event.data.hasPrefix(#"{"topic":"\#(name)""#) {
                    let reason = event.data.split(separator: #""reason":""#)[1].split(separator: "\"")[0]
                    readers[index].received[name, default: []].append(.gap(reason: String(reason)))
                }
            } else if let order = model.order(ofID: event.id) {
                let known = model.events[order]
                // Withdrawn is withdrawn, from the moment on.
                #expect(!known.isWithdrawn, "seed \(seed): \(event.id) was withdrawn")
                #expect(event.data.contains(known.data) && names.count > 1 || event.data == known.data)
                readers[index].received[known.topic, default: []].append(.event(order))
            } else {
                Issue.record("seed \(seed): \(event) was never published")
            }
        }
    }

    private func check(_ reader: Reader, isDone: Bool) {
        for name in names {
            let isSilent = { (event: ReplayModel.Event) in
                reader.gone.contains(event.order) || 1..<max(1, reader.goneBelow[name] ?? 0) ~= event.tag
            }
            let received = reader.received[name] ?? []
            let mayBeLost = !Self.isRecorded(name) || received.contains(.gap(reason: "unreadable"))
            model.check(
                received, of: name, after: reader.start,
                isSilent: isSilent,
                isTold: { event in
                    !isSilent(event) || !Self.isRecorded(name)
                        || event.isDropped && !reader.dropped.contains(event.order)
                },
                mayBeLost: mayBeLost, isDone: isDone, "seed \(seed)")
        }
        let orders = reader.received.values.flatMap { $0 }.filter { if case .event = $0 { true } else { false } }
        #expect(Set(orders.map { "\($0)" }).count == orders.count, "seed \(seed): something came twice")
    }
}
