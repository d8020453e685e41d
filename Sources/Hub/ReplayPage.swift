/// A page of a recorded topic's past, made into text once and shared by all who stand at the same place.
///
/// Threading: immutable; made without the hub's lock, since encoding takes its time.
final class ReplayPage: Sendable {
    struct Event {
        let position: UInt64
        let ownID: String?
        let withdrawalTag: UInt32
        /// Where its text is in that of the frame, in bytes; nil when the event was withdrawn.
        let text: Range<Int>?

        var id: EventID { ownID.map(EventID.own) ?? .position(Position(durable: position)) }
        /// - Parameter bound: see ``Lane/hiddenBelow``.
        func isVisible(hiddenBelow bound: UInt32) -> Bool {
            text != nil && (withdrawalTag == 0 || withdrawalTag >= bound)
        }
    }

    /// In ascending order of their positions.
    let events: [Event]
    /// The text of all of them; nil when there is none.
    let frame: Frame?
    /// Nothing else of the topic is behind the start of the page and at or before this.
    let through: UInt64
    let startPosition: UInt64?
    let isBehindEvicted: Bool
    /// The lowest tag of an event that has a text; `.max` when none has a tag.
    let lowestTag: UInt32

    /// - Parameter epoch: see ``HubState/epoch``.
    init(_ page: HistoryPage, for read: ReplayRead, epoch: String) {
        var events: [Event] = []
        events.reserveCapacity(page.events.count)
        var text: [UInt8] = []
        text.reserveCapacity(read.key.maxBytes)
        var lowestTag = UInt32.max
        for stored in page.events {
            // Text takes more than what was asked for by the length of the fields: the rest is asked for again.
            guard text.count < read.key.maxBytes else { break }
            let start = text.count
            read.append(stored, to: &text, epoch: epoch)
            let hasText = text.count > start
            if hasText, stored.withdrawalTag > 0 { lowestTag = min(lowestTag, stored.withdrawalTag) }
            events.append(
                Event(
                    position: stored.position, ownID: stored.id, withdrawalTag: stored.withdrawalTag,
                    text: hasText ? start..<text.count : nil))
        }
        self.events = events
        self.lowestTag = lowestTag
        frame = text.isEmpty ? nil : Frame(text: text)
        startPosition = page.startPosition
        isBehindEvicted = page.isBehindEvicted
        // A page of nothing that is not complete would be asked for forever.
        let isWhole = events.count == page.events.count && (page.isComplete || events.isEmpty)
        through = isWhole ? read.request.through : events[events.count - 1].position
    }

    /// What it takes in memory, about, in bytes.
    var byteCount: Int { (frame?.bytes.count ?? 0) + events.count * MemoryLayout<Event>.stride }

    /// Events that follow one another, as one frame: at least the first, which must be visible.
    /// - Parameters:
    ///   - position: the first that is not to be among them.
    ///   - maxBytes: they end with the event that reaches this size.
    ///   - maxEvents: nor are they more than these.
    func run(
        from first: Int, before position: Position, hiddenBelow: UInt32, maxBytes: Int, maxEvents: Int
    ) -> (indices: Range<Int>, frame: Frame) {
        let textStart = events[first].text!.lowerBound
        var (end, textEnd) = (first, textStart)
        while end < events.count, end == first || (textEnd - textStart < maxBytes && end - first < maxEvents),
            end == first || Position(durable: events[end].position) < position,
            events[end].isVisible(hiddenBelow: hiddenBelow), let text = events[end].text
        {
            textEnd = text.upperBound
            end += 1
        }
        let whole = frame!
        guard textEnd - textStart < whole.textRange.count else { return (first..<end, whole) }
        let range = whole.textRange.lowerBound + textStart..<whole.textRange.lowerBound + textEnd
        return (first..<end, Frame(text: whole.bytes[range]))
    }
}
