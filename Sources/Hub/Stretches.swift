/// Events of a topic that follow one another, as one frame.
struct Stretch {
    let topic: Slab<TopicState>.Handle
    /// The sequence numbers of its events.
    let range: Range<UInt64>
    /// The position and the id of its last event.
    let lastPosition: Position
    let lastID: EventID
    /// What was hidden from whom it was made for: see ``Lane/hiddenBelow``.
    let hiddenBelow: UInt32
    /// The text of its events but the last, in bytes: with fewer allowed, the last would not be in it.
    let byteCountBeforeLast: Int
    let frame: Frame
}

/// The stretches that were made last, for others who stand at the same place: under load the subscribers of a topic move
/// on together, and what is pending for one of them is pending for all.
struct Stretches {
    /// Kept at one time, whatever the number of topics: each is as long as one delivery at most.
    static let capacity = 4

    private var kept: [Stretch] = []
    private var nextToReplace = 0

    /// - Parameters:
    ///   - range: it begins where this does, and ends at its end or before.
    ///   - position: no event that is newer is in it.
    ///   - maxBytes: it ends with the event that reaches this size, or before.
    ///   - maxEvents: nor has it more events than these.
    func find(
        _ topic: Slab<TopicState>.Handle, within range: Range<UInt64>, through position: Position, hiddenBelow: UInt32,
        maxBytes: Int, maxEvents: Int
    ) -> Stretch? {
        kept.first {
            $0.range.lowerBound == range.lowerBound && $0.range.upperBound <= range.upperBound && $0.topic == topic
                && $0.hiddenBelow == hiddenBelow && $0.lastPosition <= position && $0.range.count <= maxEvents
                && $0.byteCountBeforeLast < maxBytes
        }
    }

    mutating func keep(_ stretch: Stretch) {
        if kept.count < Self.capacity {
            kept.append(stretch)
        } else {
            kept[nextToReplace] = stretch
            nextToReplace = (nextToReplace + 1) % Self.capacity
        }
    }

    /// What was made of a topic may hold what it has taken back since.
    mutating func forget(_ topic: Slab<TopicState>.Handle) {
        kept.removeAll { $0.topic == topic }
        nextToReplace = 0
    }
}

extension TopicLog {
    /// The visible events from the first of a range on, up to one that is not; the first must be retained, visible and not
    /// newer than `position`.
    /// - Parameter maxBytes: it ends with the event that reaches this size.
    func stretch(
        of topic: Slab<TopicState>.Handle, within range: Range<UInt64>, through position: Position, hiddenBelow: UInt32,
        maxBytes: Int, maxEvents: Int
    ) -> Stretch {
        var frames: [Frame] = []
        var byteCount = 0
        var sequence = range.lowerBound
        while sequence < range.upperBound, frames.count < maxEvents, byteCount < maxBytes || frames.isEmpty,
            self[sequence].position <= position,
            self[sequence].isVisible(hiddenBelow: hiddenBelow), let frame = self[sequence].frame
        {
            frames.append(frame)
            byteCount += frame.textRange.count
            sequence += 1
        }
        let last = self[sequence - 1]
        let lastByteCount = frames[frames.count - 1].textRange.count
        return Stretch(
            topic: topic, range: range.lowerBound..<sequence, lastPosition: last.position, lastID: last.id,
            hiddenBelow: hiddenBelow, byteCountBeforeLast: byteCount - lastByteCount, frame: Frame.joining(frames))
    }
}
