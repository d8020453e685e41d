import TestSupport
import Testing

@testable import Hub

/// The log against a plain array that does the same in the plainest way.
@Suite struct LogModelTests {
    private struct Model {
        let retention: Retention
        var entries: [TopicLog.Entry] = []
        var evicted: UInt64 = 0
        var lastEvictedPosition = Position.zero
        var withdrawnTags: Set<UInt32> = []

        var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

        mutating func append(_ entry: TopicLog.Entry) {
            entries.append(entry)
            dropWithdrawn()
            while entries.count > 1 && (entries.count > retention.maxEvents || byteCount > retention.maxBytes) {
                lastEvictedPosition = entries.removeFirst().position
                evicted += 1
            }
        }

        mutating func withdraw(taggedBelow tag: UInt32) {
            withdrawnTags.formUnion((0..<tag).dropFirst())
            dropWithdrawn()
        }

        private mutating func dropWithdrawn() {
            for index in entries.indices where withdrawnTags.contains(entries[index].withdrawalTag) {
                (entries[index].frame, entries[index].envelope) = (nil, nil)
            }
        }

        func firstSequence(after position: Position) -> UInt64 {
            evicted + UInt64(entries.firstIndex { $0.position > position } ?? entries.count)
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `the log does what a plain array does`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let retention = Retention(
            maxEvents: .random(in: 1...20, using: &random), maxBytes: .random(in: 1...600, using: &random))
        var (log, model) = (TopicLog(retention: retention), Model(retention: retention))
        var position: UInt64 = 0
        var tag: UInt32 = 0
        for _ in 0..<300 {
            if random.chance(oneIn: 12) {
                tag = max(tag, .random(in: 0...UInt32(position) / 8, using: &random))
                log.withdraw(taggedBelow: tag)
                model.withdraw(taggedBelow: tag)
            } else {
                position += .random(in: 1...4, using: &random)
                let entry = TopicLog.Entry.sample(
                    position: position, dataBytes: .random(in: 1...80, using: &random),
                    tag: .random(in: 0...tag + 4, using: &random))
                log.append(entry)
                model.append(entry)
            }
            expect(log, equals: model)
            let cursor = Position(minor: .random(in: 0...position + 1, using: &random))
            #expect(log.firstSequence(after: cursor) == model.firstSequence(after: cursor))
        }
    }

    private func expect(_ log: TopicLog, equals model: Model) {
        #expect(log.count == model.entries.count && log.byteCount == model.byteCount)
        #expect(log.firstSequence == model.evicted)
        #expect(log.lastEvictedPosition == model.lastEvictedPosition)
        let entries = (log.firstSequence..<log.nextSequence).map { log[$0] }
        #expect(entries.map(\.position) == model.entries.map(\.position))
        #expect(entries.map { $0.frame?.bytes } == model.entries.map { $0.frame?.bytes })
    }
}
