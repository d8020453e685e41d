/// One topic of a subscription: a cursor into its log.
struct Lane {
    let topic: Topic
    let policy: DeliveryPolicy
    /// The next sequence number to look at.
    var next: UInt64
    /// The durable number up to which everything is behind it. Where a recorded topic's next event is no longer in memory,
    /// this is the cursor, and `next` means nothing.
    var reached: UInt64
    /// Events with a tag in `1..<silentBelow` are passed over without a word when they are gone: they were gone before the
    /// consumer came, or got its first snapshot.
    var silentBelow: UInt32
    /// A newcomer that has had nothing yet.
    var isAtItsBeginning: Bool
    /// The first sequence number that it does not get: where its topic was stopped; nil while it has not been.
    var end: UInt64?
    /// Reported before anything else of this lane.
    var pendingGap: GapReason?
    /// The topic's snapshot, if it has one, goes before its events.
    var needsSnapshot = true
    /// Events with a tag in `1..<hiddenBelow` are not for this consumer: it came, or got a snapshot, when something newer
    /// had taken their place.
    var hiddenBelow: UInt32
    /// The id that the consumer has last had of this topic; nil for none.
    var lastID: EventID?
    /// Nothing more comes, and its topic does not count it any more.
    var isOver = false

    /// What comes next in a lane.
    enum Step {
        case nothing
        /// The lane is over; the reason is nil when the topic's own last event said so.
        case over(EndReason?)
        case gap(GapReason, resumingAt: Place)
        case snapshot
        case event(sequence: UInt64, position: Position)
        /// The next event is no longer in memory, and its page is not here.
        case past
        /// An event on the page that is here, by its index.
        case pageEvent(Int, position: Position)
    }

    /// Where a lane goes on.
    enum Place {
        case sequence(UInt64)
        /// An index on the page that is here.
        case page(Int)
    }

    /// - Returns: how many events were passed over.
    mutating func movePast(_ sequence: UInt64, id: EventID, position: Position) -> UInt64 {
        let skipped = sequence - next
        next = sequence + 1
        reached = position.durable
        isAtItsBeginning = false
        lastID = id
        return skipped
    }
}

extension TopicState {
    /// What comes next for a lane that follows this topic.
    /// - Parameter lane: stays as it is; `inout`, since Swift copies a value of this size that is borrowed.
    func step(of lane: inout Lane) -> Lane.Step {
        if isPast(lane) { return .past }
        let end = lane.end ?? log.nextSequence
        let first = min(max(lane.next, log.firstSequence), end)
        if let reason = lane.pendingGap { return .gap(reason, resumingAt: .sequence(first)) }
        // After a stop the snapshot may tell of what is not for this lane.
        if lane.needsSnapshot, snapshot != nil, lane.end == nil { return .snapshot }
        switch lane.policy {
        case .latest:
            var sequence = end
            while sequence > first {
                sequence -= 1
                if log[sequence].isVisible(hiddenBelow: lane.hiddenBelow) { return event(at: sequence) }
            }
        case .all:
            // What the history has of it the lane has had: see `isPast`.
            if lane.next < first, !isStored { return .gap(.evicted, resumingAt: .sequence(first)) }
            var (sequence, isSilent) = (first, true)
            while sequence < end, !log[sequence].isVisible(hiddenBelow: lane.hiddenBelow) {
                if log[sequence].withdrawalTag >= lane.silentBelow { isSilent = false }
                sequence += 1
            }
            if !isSilent { return .gap(.superseded, resumingAt: .sequence(sequence)) }
            if sequence < end { return event(at: sequence) }
        }
        if lane.end != nil { return .over(.stopped) }
        return isClosed ? .over(nil) : .nothing
    }

    /// Whether the next event is one that only the history has, if any.
    func isPast(_ lane: borrowing Lane) -> Bool {
        log.lastEvictedPosition.durable > lane.reached && isStored && lane.policy == .all
    }

    private func event(at sequence: UInt64) -> Lane.Step {
        .event(sequence: sequence, position: log[sequence].position)
    }
}
