/// What the steps of a subscription's lanes become on the wire.
extension SubscriptionState {
    mutating func takeEvent(
        at sequence: UInt64, lane: Int, from topics: inout Slab<TopicState>, epoch: String,
        counting counters: inout HubCounters
    ) -> Frame {
        delivered += 1
        if let remaining { self.remaining = remaining - 1 }
        let isOnlyLane = lanes.count == 1
        return lanes.with(lane) { lane in
            topics.with(lane.topic.handle) { topic in
                let skipped = lane.movePast(
                    sequence, id: topic.log[sequence].id, position: topic.log[sequence].position)
                if skipped > 0, lane.policy == .latest {
                    conflated += skipped
                    counters.conflated += skipped
                }
                return isOnlyLane ? topic.log[sequence].frame! : topic.envelope(at: sequence, epoch: epoch)
            }
        }
    }

    /// All that is pending of the only lane, from an event on, or as much of it as is to go at one time.
    mutating func takeStretch(
        from sequence: UInt64, in topics: inout Slab<TopicState>, sharing stretches: inout Stretches, maxBytes: Int,
        through position: Position
    ) -> Stretch {
        let stretch = lanes.with(0) { lane in
            topics.with(lane.topic.handle) { topic in
                let (handle, maxEvents) = (lane.topic.handle, remaining ?? .max)
                let pending = sequence..<(lane.end ?? topic.log.nextSequence)
                if let shared = stretches.find(
                    handle, within: pending, through: position, hiddenBelow: lane.hiddenBelow, maxBytes: maxBytes,
                    maxEvents: maxEvents)
                {
                    return shared
                }
                let made = topic.log.stretch(
                    of: handle, within: pending, through: position, hiddenBelow: lane.hiddenBelow,
                    maxBytes: maxBytes, maxEvents: maxEvents)
                if made.range.count > 1 { stretches.keep(made) }
                return made
            }
        }
        delivered += UInt64(stretch.range.count)
        if let remaining { self.remaining = remaining - stretch.range.count }
        lanes.with(0) {
            _ = $0.movePast(stretch.range.upperBound - 1, id: stretch.lastID, position: stretch.lastPosition)
        }
        return stretch
    }

    /// Gaps that follow one another are reported as one, with the gravest reason.
    /// - Returns: nil when what follows is not known before the next page of the past is here: the gap waits for it.
    mutating func takeGap(
        _ reason: GapReason, resumingAt place: Lane.Place, lane: Int, from topics: inout Slab<TopicState>,
        epoch: String
    ) -> Frame? {
        var reason = reason
        lanes[lane].pendingGap = nil
        // A new snapshot follows the gap: what it makes stale belongs to the gap.
        lanes[lane].hiddenBelow = topics[lanes[lane].topic.handle].log.hiddenBelow
        lanes[lane].needsSnapshot = false
        move(lane: lane, to: place, in: topics)
        var following = step(of: lane, in: &topics)
        while case .gap(let next, let place) = following {
            reason = max(reason, next)
            lanes[lane].pendingGap = nil
            move(lane: lane, to: place, in: topics)
            following = step(of: lane, in: &topics)
        }
        lanes[lane].needsSnapshot = true
        var to: EventID?
        switch following {
        case .past:
            lanes[lane].pendingGap = reason
            return nil
        case .event(let sequence, _): to = topics[lanes[lane].topic.handle].log[sequence].id
        case .pageEvent(let index, _): to = page(of: lane)?.events[index].id
        default: break
        }
        return ControlEvents.gap(
            reason, on: lanes[lane].topic.name, from: lanes[lane].lastID?.text(epoch: epoch),
            to: to?.text(epoch: epoch))
    }

    private mutating func move(lane index: Int, to place: Lane.Place, in topics: Slab<TopicState>) {
        switch place {
        case .sequence(let next):
            let log = topics[lanes[index].topic.handle].log
            lanes[index].next = next
            lanes[index].reached = max(lanes[index].reached, log.position(before: next).durable)
        case .page(let next): move(lane: index, toIndex: next)
        }
    }

    mutating func takeSnapshot(lane: Int, from topics: Slab<TopicState>) -> Frame {
        lanes[lane].needsSnapshot = false
        let topic = lanes[lane].topic
        let snapshot = topics[topic.handle].snapshot!
        lanes[lane].hiddenBelow = topics[topic.handle].log.hiddenBelow
        if lanes[lane].isAtItsBeginning { lanes[lane].silentBelow = topics[topic.handle].log.goneBelow }
        lanes[lane].isAtItsBeginning = false
        guard lanes.count > 1 else { return snapshot }
        return StreamEvent.event(in: snapshot).envelope(topic: topic.name, sharedID: nil, isJSON: true)
    }

    /// What ends a lane and, when it was the last, the stream.
    func farewell(to lane: Int, reason: EndReason?) -> [Frame] {
        if lanes.count == 1 { return reason.map { [ControlEvents.end($0)] } ?? [] }
        let topicEnded = ControlEvents.topicEnded(lanes[lane].topic.name, reason: reason ?? .done)
        return isOver ? [topicEnded, ControlEvents.end(.done)] : [topicEnded]
    }
}

extension TopicState {
    /// The event for those who follow several topics; made once.
    fileprivate mutating func envelope(at sequence: UInt64, epoch: String) -> Frame {
        if let envelope = log[sequence].envelope { return envelope }
        let event = StreamEvent.event(in: log[sequence].frame!)
        let envelope = event.envelope(
            topic: name, sharedID: EventID.position(log[sequence].position).text(epoch: epoch),
            isJSON: log[sequence].isJSON)
        log.keepEnvelope(envelope, at: sequence)
        return envelope
    }
}
