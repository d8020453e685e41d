import Testing

@testable import Hub

@Suite struct LogTests {
    private func log(_ count: Int, keeping maxEvents: Int = 100, maxBytes: Int = 1 << 20) -> TopicLog {
        var log = TopicLog(retention: Retention(maxEvents: maxEvents, maxBytes: maxBytes))
        for position in 1...count { log.append(.sample(position: UInt64(position))) }
        return log
    }

    @Test func `a new log is empty`() {
        let log = TopicLog(retention: Retention())
        #expect(log.count == 0 && log.byteCount == 0)
        #expect(log.firstSequence == 0 && log.nextSequence == 0)
        #expect(log.firstSequence(after: .zero) == 0)
    }

    @Test func `events keep their order while the ring grows and wraps`() {
        let log = log(1_000, keeping: 37)
        #expect(log.count == 37)
        #expect((log.firstSequence..<log.nextSequence).map { log[$0].position.minor } == Array(964...1_000))
    }

    @Test func `the oldest goes when there are too many`() {
        let log = log(4, keeping: 3)
        #expect(log.firstSequence == 1 && log.nextSequence == 4)
        #expect(log.lastEvictedPosition.minor == 1)
    }

    @Test func `the oldest go when they are too large together`() {
        var log = log(5, maxBytes: 150)
        let size = log[0].byteCount
        log.append(.sample(position: 6, dataBytes: 150 - 2 * size))
        #expect(log.byteCount <= 150)
        #expect(log.lastEvictedPosition.minor == 5 || log.lastEvictedPosition.minor == 4)
        #expect(log[log.nextSequence - 1].position.minor == 6)
    }

    @Test func `the newest stays however large it is`() {
        var log = log(3, maxBytes: 100)
        log.append(.sample(position: 4, dataBytes: 10_000))
        #expect(log.count == 1 && log[3].position.minor == 4 && log.byteCount > 10_000)
        log.append(.sample(position: 5))
        #expect(log.count == 1 && log[4].position.minor == 5 && log.byteCount <= 100)
    }

    @Test func `the search finds the first event after a position`() {
        var log = TopicLog(retention: Retention(maxEvents: 4))
        for position: UInt64 in [2, 5, 7, 11, 13] { log.append(.sample(position: position)) }
        #expect(
            [0, 2, 4, 5, 6, 7, 12, 13, 99].map { log.firstSequence(after: Position(minor: $0)) } == [
                1, 1, 1, 2, 2, 3, 4, 5, 5,
            ])
    }

    @Test func `the newest event with an own id is found`() {
        var log = TopicLog(retention: Retention(maxEvents: 4))
        for (position, id) in ["a", "b", "a", nil, "c"].enumerated() {
            log.append(.sample(position: UInt64(position) + 1, ownID: id))
        }
        #expect(log.sequence(ofOwnID: "a") == 2)
        #expect(log.sequence(ofOwnID: "c") == 4)
        #expect(log.sequence(ofOwnID: "d") == nil)
    }

    @Test func `withdrawn events keep their places and give back their bytes`() {
        var log = TopicLog(retention: Retention())
        for position: UInt64 in 1...6 { log.append(.sample(position: position, tag: UInt32(position % 3))) }
        let size = log[0].byteCount
        log.withdraw(taggedBelow: 2)
        #expect(log.count == 6 && log.byteCount == 4 * size)
        #expect((0..<6).map { log[$0].frame == nil } == [true, false, false, true, false, false])
    }

    @Test func `withdrawing twice is harmless`() {
        var log = TopicLog(retention: Retention())
        for position: UInt64 in 1...6 { log.append(.sample(position: position, tag: UInt32(position % 3))) }
        log.withdraw(taggedBelow: 2)
        let before = log.byteCount
        log.withdraw(taggedBelow: 2)
        #expect(log.byteCount == before)
    }

    @Test(arguments: [0, 1] as [UInt32]) func `no tag is below the lowest`(tag: UInt32) {
        var log = TopicLog(retention: Retention())
        for position: UInt64 in 1...3 { log.append(.sample(position: position, tag: UInt32(position))) }
        let before = log.byteCount
        log.withdraw(taggedBelow: tag)
        #expect(log.byteCount == before)
    }

    @Test func `an envelope counts as bytes until its event goes`() {
        var log = log(2, keeping: 2)
        let size = log[0].byteCount
        log.keepEnvelope(Frame(text: "id: x\n\n".utf8), at: 0)
        #expect(log.byteCount > 2 * size)
        log.append(.sample(position: 3))
        #expect(log.byteCount == 2 * size)
    }

    @Test func `envelopes do not grow a log past its bound`() {
        var log = log(2, maxBytes: 60)
        #expect(log.count == 2)
        for sequence: UInt64 in 0..<2 {
            log.keepEnvelope(Frame(text: [UInt8](repeating: 97, count: 50)), at: sequence)
        }
        #expect(log.byteCount <= 60 && log.count == 2)
    }
}

extension TopicLog.Entry {
    static func sample(position: UInt64, dataBytes: Int = 1, ownID: String? = nil, tag: UInt32 = 0) -> Self {
        TopicLog.Entry(
            position: Position(minor: position), ownID: ownID, isJSON: false, withdrawalTag: tag,
            frame: Frame(text: [UInt8](repeating: UInt8(ascii: "a"), count: dataBytes)))
    }
}
