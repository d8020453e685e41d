/// What a driver gets for one subscription.
public struct Delivery: Sendable {
    /// In order; all of them may leave in one write.
    public let frames: [Frame]
    /// How many of the events in them were published (the others tell of the stream itself).
    public let eventCount: Int
    /// Nothing follows: write this, then end the connection and detach the subscription.
    public let isLast: Bool
    /// There is more to take at once.
    public let hasMore: Bool

    static let gone = Delivery(frames: [], eventCount: 0, isLast: true, hasMore: false)

    /// The frames as one.
    public var frame: Frame? { frames.isEmpty ? nil : Frame(joining: frames) }
}

extension HubState {
    /// What comes next in one topic of a subscription.
    private enum Step {
        case nothing
        /// The lane is over; the reason is nil when the topic's own last event said so.
        case over(EndReason?)
        case gap(Gap, resumingAt: UInt64)
        case snapshot(Frame)
        case event(sequence: UInt64, position: UInt64)
    }

    /// Takes the pending events of a subscription, and moves its cursors past them.
    /// - Parameter maxBytes: stop after the event that reaches this size.
    mutating func take(_ subscription: Subscription, maxBytes: Int, retryMilliseconds: Int) -> Delivery {
        guard subscriptions.contains(subscription.handle) else { return .gone }
        let handle = subscription.handle
        var frames: [Frame] = []
        if let greeting = subscriptions[handle].greeting.take() { frames.append(greeting) }
        if isDraining {
            frames.append(ControlEvents.comeBack(afterMilliseconds: retryMilliseconds))
            return Delivery(frames: frames, eventCount: 0, isLast: true, hasMore: false)
        }
        if let reason = subscriptions[handle].ending {
            frames.append(ControlEvents.end(reason))
            return Delivery(frames: frames, eventCount: 0, isLast: true, hasMore: false)
        }
        var (byteCount, eventCount) = (0, 0)
        while byteCount < maxBytes {
            guard let (lane, step) = nextStep(of: handle) else {
                return Delivery(frames: frames, eventCount: eventCount, isLast: false, hasMore: false)
            }
            switch step {
            case .nothing: preconditionFailure("nextStep returns what there is")
            case .over(let reason):
                subscriptions[handle].lanes[lane].isOver = true
                if let last = endOfLane(lane, of: handle, reason: reason, frames: &frames) {
                    return Delivery(frames: frames + last, eventCount: eventCount, isLast: true, hasMore: false)
                }
            case .gap(let gap, let next):
                frames.append(report(gap, resumingAt: next, lane: lane, of: handle))
            case .snapshot(let snapshot):
                frames.append(takeSnapshot(snapshot, lane: lane, of: handle))
            case .event(let sequence, let position):
                let frame = takeEvent(at: sequence, position: position, lane: lane, of: handle)
                frames.append(frame)
                byteCount += frame.bytes.count
                eventCount += 1
                if subscriptions[handle].remaining == 0 {
                    frames.append(ControlEvents.end(.limit))
                    return Delivery(frames: frames, eventCount: eventCount, isLast: true, hasMore: false)
                }
            }
        }
        return Delivery(frames: frames, eventCount: eventCount, isLast: false, hasMore: true)
    }

    /// The step that is due: gaps and ends at once, else the event with the lowest position, so that the id of
    /// an event that was delivered never passes over one that was not.
    private mutating func nextStep(of handle: Slab<SubscriptionState>.Handle) -> (lane: Int, step: Step)? {
        var earliest: (lane: Int, step: Step, position: UInt64)?
        for index in subscriptions[handle].lanes.indices where !subscriptions[handle].lanes[index].isOver {
            let step = step(of: subscriptions[handle].lanes[index])
            switch step {
            case .nothing: continue
            case .gap, .snapshot, .over: return (index, step)
            case .event(_, let position):
                if earliest.map({ position < $0.position }) ?? true { earliest = (index, step, position) }
            }
        }
        return earliest.map { ($0.lane, $0.step) }
    }

    private func step(of lane: Lane) -> Step {
        guard topics.contains(lane.topic.handle) else { return .over(.removed) }
        let topic = topics[lane.topic.handle]
        let end = topic.end(ofTerm: lane.term)
        if let gap = lane.pendingGap { return .gap(gap, resumingAt: max(lane.next, topic.log.firstSequence)) }
        if lane.needsSnapshot, let snapshot = topic.snapshot { return .snapshot(snapshot) }
        let first = max(lane.next, topic.log.firstSequence)
        switch lane.policy {
        case .latest:
            var sequence = end
            while sequence > first {
                sequence -= 1
                let entry = topic.log[sequence]
                if entry.frame != nil { return .event(sequence: sequence, position: entry.position) }
            }
        case .all:
            if lane.next < first, first <= end {
                return .gap(Gap(reason: .evicted, from: lane.lastID.map(spelledOut)), resumingAt: first)
            }
            var sequence = first
            while sequence < end, topic.log[sequence].frame == nil { sequence += 1 }
            if sequence > max(first, lane.silentBefore) {
                return .gap(Gap(reason: .superseded, from: lane.lastID.map(spelledOut)), resumingAt: sequence)
            }
            if sequence < end {
                return .event(sequence: sequence, position: topic.log[sequence].position)
            }
        }
        if lane.term != topic.term { return .over(.stopped) }
        return topic.isClosed ? .over(nil) : .nothing
    }

    private mutating func takeEvent(
        at sequence: UInt64, position: UInt64, lane: Int, of handle: Slab<SubscriptionState>.Handle
    ) -> Frame {
        let topic = subscriptions[handle].lanes[lane].topic
        let skipped = sequence - max(subscriptions[handle].lanes[lane].next, topics[topic.handle].log.firstSequence)
        if subscriptions[handle].lanes[lane].policy == .latest {
            subscriptions[handle].conflated += sequence - subscriptions[handle].lanes[lane].next
        } else {
            assert(skipped == 0 || sequence <= subscriptions[handle].lanes[lane].silentBefore)
        }
        subscriptions[handle].lanes[lane].next = sequence + 1
        subscriptions[handle].lanes[lane].lastID =
            topics[topic.handle].log[sequence].ownID.map(EventID.own) ?? .position(position)
        subscriptions[handle].delivered += 1
        if let remaining = subscriptions[handle].remaining { subscriptions[handle].remaining = remaining - 1 }
        return subscriptions[handle].lanes.count == 1
            ? topics[topic.handle].log[sequence].frame! : envelope(of: topic, at: sequence)
    }

    private mutating func envelope(of topic: Topic, at sequence: UInt64) -> Frame {
        let entry = topics[topic.handle].log[sequence]
        if let envelope = entry.envelope { return envelope }
        let event = StreamEvent.events(in: entry.frame!)[0]
        let envelope = event.envelope(
            topic: topic.name, sharedID: spelledOut(.position(entry.position)), isJSON: entry.isJSON)
        topics[topic.handle].log.setEnvelope(envelope, at: sequence)
        return envelope
    }

    private mutating func report(
        _ gap: Gap, resumingAt next: UInt64, lane: Int, of handle: Slab<SubscriptionState>.Handle
    ) -> Frame {
        subscriptions[handle].lanes[lane].pendingGap = nil
        subscriptions[handle].lanes[lane].needsSnapshot = subscriptions[handle].lanes[lane].wantsSnapshot
        subscriptions[handle].lanes[lane].next = next
        let topic = subscriptions[handle].lanes[lane].topic
        let log = topics[topic.handle].log
        let to = next < log.nextSequence
            ? spelledOut(log[next].ownID.map(EventID.own) ?? .position(log[next].position)) : nil
        return ControlEvents.gap(gap, on: topic.name, to: to)
    }

    private mutating func takeSnapshot(
        _ snapshot: Frame, lane: Int, of handle: Slab<SubscriptionState>.Handle
    ) -> Frame {
        subscriptions[handle].lanes[lane].needsSnapshot = false
        guard subscriptions[handle].lanes.count > 1 else { return snapshot }
        let topic = subscriptions[handle].lanes[lane].topic.name
        return StreamEvent.events(in: snapshot)[0].envelope(topic: topic, sharedID: nil, isJSON: true)
    }

    /// The frames that end the whole stream, when this was its last lane.
    private func endOfLane(
        _ lane: Int, of handle: Slab<SubscriptionState>.Handle, reason: EndReason?, frames: inout [Frame]
    ) -> [Frame]? {
        let lanes = subscriptions[handle].lanes
        let isLast = lanes.allSatisfy(\.isOver)
        if lanes.count == 1 { return reason.map { [ControlEvents.end($0)] } ?? [] }
        frames.append(ControlEvents.topicEnded(lanes[lane].topic.name, reason: reason ?? .done))
        return isLast ? [ControlEvents.end(.done)] : nil
    }
}
