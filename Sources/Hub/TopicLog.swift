/// The retained past of a topic: a ring of events with contiguous sequence numbers.
///
/// A value type without a lock or a clock. Appending is O(1) and evicts the oldest events beyond the retention.
struct TopicLog {
    /// One event of the log. A withdrawn event keeps its place and has no frame.
    struct Entry {
        /// Hub-wide and increasing: one id can address a place in several topics.
        let position: Position
        /// Only when it isn't the one that the hub derives from the position.
        let ownID: String?
        let isJSON: Bool
        let withdrawalTag: UInt32
        var frame: Frame?
        /// The event as a subscription to several topics gets it; made when first needed.
        var envelope: Frame?

        /// Fills the places of the ring that no event has.
        static let vacant = Entry(position: .zero, ownID: nil, isJSON: false, withdrawalTag: 0)

        var id: EventID { ownID.map(EventID.own) ?? .position(position) }
        /// - Parameter bound: see ``Lane/hiddenBelow``.
        func isVisible(hiddenBelow bound: UInt32) -> Bool {
            frame != nil && (withdrawalTag == 0 || withdrawalTag >= bound)
        }

        var byteCount: Int { (frame?.bytes.count ?? 0) + (envelope?.bytes.count ?? 0) }
    }

    let retention: Retention
    /// Its size is a power of two, or nothing.
    private var ring: ContiguousArray<Entry> = []
    private var head = 0
    private(set) var count = 0
    private(set) var byteCount = 0
    /// The sequence number of the oldest retained event; equal to `nextSequence` when there is none.
    private(set) var firstSequence: UInt64 = 0
    /// No event at or before this position is in the ring; zero when none was evicted. The newest that was evicted is here,
    /// or before where that is not known.
    private(set) var lastEvictedPosition = Position.zero
    /// The durable number up to which the history has nothing either; nil while that is not known.
    private(set) var forgottenThrough: UInt64?
    /// Events with a tag in `1..<withdrawnBelow` are withdrawn, whenever they come.
    private(set) var withdrawnBelow: UInt32 = 0
    /// Events with a tag in `1..<hiddenBelow` are not for those who come from now on.
    private(set) var hiddenBelow: UInt32 = 0

    /// Events with a tag in `1..<goneBelow` are not to be had by whoever comes now.
    var goneBelow: UInt32 { max(withdrawnBelow, hiddenBelow) }

    init(retention: Retention) { self.retention = retention }

    /// Makes a new log go on behind events that it does not have.
    /// - Parameter forgotten: see ``forgottenThrough``.
    mutating func goOn(at sequence: UInt64, behind position: Position, forgottenThrough forgotten: UInt64?) {
        precondition(nextSequence == 0, "a log goes on once")
        forgottenThrough = forgotten
        firstSequence = sequence
        lastEvictedPosition = position
    }

    /// The sequence number that the next event will have.
    var nextSequence: UInt64 { firstSequence + UInt64(count) }

    /// The entry of a sequence number, which must be retained.
    subscript(sequence: UInt64) -> Entry {
        _read { yield ring[slot(of: sequence)] }
        _modify { yield &ring[slot(of: sequence)] }
    }

    mutating func append(_ entry: Entry) {
        if count == retention.maxEvents { evictOldest() }
        if count == ring.count { grow() }
        var entry = entry
        if isWithdrawn(entry) { entry.frame = nil }
        ring[(head + count) & (ring.count - 1)] = entry
        count += 1
        byteCount += entry.byteCount
        while count > 1 && byteCount > retention.maxBytes { evictOldest() }
    }

    /// Takes the bytes of every event with a tag in `1..<tag` out of the log, for good. Their places remain.
    /// O(n) for a greater tag than ever before, else O(1).
    mutating func withdraw(taggedBelow tag: UInt32) {
        guard tag > withdrawnBelow else { return }
        withdrawnBelow = tag
        for sequence in firstSequence..<nextSequence where isWithdrawn(self[sequence]) {
            byteCount -= self[sequence].byteCount
            self[sequence].frame = nil
            self[sequence].envelope = nil
        }
    }

    /// Drops the events at or before a durable number.
    mutating func forget(through position: UInt64) {
        forgottenThrough = max(forgottenThrough ?? 0, position)
        while count > 0, ring[head].position.durable <= position { evictOldest() }
    }

    mutating func hide(taggedBelow tag: UInt32) { hiddenBelow = max(hiddenBelow, tag) }

    private func isWithdrawn(_ entry: Entry) -> Bool { 1..<max(1, withdrawnBelow) ~= entry.withdrawalTag }

    /// Keeps an envelope for the next who needs it, unless that took the log over its bound.
    mutating func keepEnvelope(_ envelope: Frame, at sequence: UInt64) {
        guard byteCount + envelope.bytes.count <= retention.maxBytes else { return }
        self[sequence].envelope = envelope
        byteCount += envelope.bytes.count
    }

    /// The first retained sequence number whose event came after `position`. O(log n).
    func firstSequence(after position: Position) -> UInt64 {
        var low = firstSequence
        var high = nextSequence
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Everything before a retained sequence number, or the next one, is at or before this position.
    func position(before sequence: UInt64) -> Position {
        sequence > firstSequence ? self[sequence - 1].position : lastEvictedPosition
    }

    /// The newest event with this id of its own. O(n), n bounded by the retention.
    func sequence(ofOwnID id: String) -> UInt64? {
        (firstSequence..<nextSequence).last { self[$0].ownID == id }
    }

    private func slot(of sequence: UInt64) -> Int {
        precondition(sequence >= firstSequence && sequence < nextSequence, "not in the log")
        return (head + Int(sequence - firstSequence)) & (ring.count - 1)
    }

    private mutating func evictOldest() {
        guard count > 0 else { return }
        byteCount -= ring[head].byteCount
        lastEvictedPosition = ring[head].position
        ring[head] = .vacant
        head = (head + 1) & (ring.count - 1)
        count -= 1
        firstSequence += 1
    }

    /// Doubles the ring, so that a quiet topic stays small.
    private mutating func grow() {
        var larger = ContiguousArray<Entry>()
        larger.reserveCapacity(max(2, ring.count * 2))
        for offset in 0..<count { larger.append(ring[(head + offset) & (ring.count - 1)]) }
        larger.append(contentsOf: repeatElement(.vacant, count: max(2, ring.count * 2) - count))
        ring = larger
        head = 0
    }
}

extension TopicLog.Entry {
    init(_ event: StoredEvent, epoch: String) {
        let position = Position(durable: event.position)
        let id = event.id ?? EventID.position(position).text(epoch: epoch)
        self.init(
            position: position, ownID: event.id, isJSON: event.isJSON, withdrawalTag: event.withdrawalTag,
            frame: event.fields.map { Frame(id: id, fields: $0) })
    }
}
