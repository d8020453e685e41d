import Primitives

extension SubscriptionState {
    /// - Parameters:
    ///   - maxBytes: stop after the event that reaches this size, in bytes of text.
    ///   - position: what is newer waits, if every event is wanted of a single topic.
    mutating func take(
        from topics: inout Slab<TopicState>, sharing stretches: inout Stretches, epoch: String, maxBytes: Int,
        through position: Position, counting counters: inout HubCounters
    ) -> Delivery {
        if let ending { return takeFarewell(ControlEvents.end(ending)) }
        var delivery = Delivery(isLast: isOver)
        if let greeting = greeting.take() { delivery.frames.append(greeting) }
        var byteCount = 0
        while !isOver {
            guard byteCount < maxBytes || delivery.eventCount == 0 else {
                delivery.hasMore = true
                break
            }
            guard let (lane, step) = nextStep(in: &topics) else { break }
            switch step {
            case .nothing: preconditionFailure("nextStep returns what there is")
            case .over(let reason):
                leave(lane: lane, in: &topics)
                isOver = lanes.allSatisfy(\.isOver)
                delivery.frames.append(contentsOf: farewell(to: lane, reason: reason))
            case .gap(let reason, let next):
                counters.gaps += 1
                delivery.frames.append(
                    takeGap(reason, resumingAt: next, lane: lane, from: &topics, epoch: epoch))
            case .snapshot:
                delivery.frames.append(takeSnapshot(lane: lane, from: topics))
            case .event(_, let eventPosition) where eventPosition > position && isInStep:
                return delivery
            case .event(let sequence, _) where isInStep && hasMore(than: sequence, in: &topics):
                let stretch = takeStretch(
                    from: sequence, in: &topics, sharing: &stretches, maxBytes: maxBytes, through: position)
                delivery.frames.append(stretch.frame)
                delivery.eventCount += stretch.range.count
                byteCount += stretch.frame.textRange.count
                if remaining == 0 {
                    isOver = true
                    delivery.frames.append(ControlEvents.end(.limit))
                }
            case .event(let sequence, _):
                let frame = takeEvent(
                    at: sequence, lane: lane, from: &topics, epoch: epoch, counting: &counters)
                delivery.frames.append(frame)
                delivery.eventCount += 1
                byteCount += frame.textRange.count
                if remaining == 0 {
                    isOver = true
                    delivery.frames.append(ControlEvents.end(.limit))
                }
            }
        }
        delivery.isLast = isOver
        return delivery
    }

    /// Whether it moves on together with others: it wants every event of one topic.
    private var isInStep: Bool { lanes.onlyPolicy == .all }

    private mutating func hasMore(than sequence: UInt64, in topics: inout Slab<TopicState>) -> Bool {
        lanes.with(0) { lane in topics.with(lane.topic.handle) { $0.log.nextSequence > sequence + 1 } }
    }

    /// One more frame, and nothing after it.
    mutating func takeFarewell(_ frame: Frame) -> Delivery {
        guard !isOver else { return Delivery(isLast: true) }
        isOver = true
        var delivery = Delivery(isLast: true)
        if let greeting = greeting.take() { delivery.frames.append(greeting) }
        delivery.frames.append(frame)
        return delivery
    }

    /// The step that is due: gaps, snapshots and ends at once, else the event with the lowest position, so that the id of
    /// an event that was delivered never passes over one that was not.
    private mutating func nextStep(in topics: inout Slab<TopicState>) -> (lane: Int, step: Lane.Step)? {
        var earliest: (lane: Int, step: Lane.Step, position: Position)?
        for index in lanes.indices {
            let step = step(of: index, in: &topics)
            switch step {
            case .nothing: continue
            case .gap, .snapshot, .over: return (index, step)
            case .event(_, let position):
                if earliest.map({ position < $0.position }) ?? true { earliest = (index, step, position) }
            }
        }
        return earliest.map { ($0.lane, $0.step) }
    }

    mutating func step(of lane: Int, in topics: inout Slab<TopicState>) -> Lane.Step {
        lanes.with(lane) { lane in
            guard !lane.isOver else { return .nothing }
            guard topics.contains(lane.topic.handle) else { return .over(.removed) }
            return topics.with(lane.topic.handle) { $0.step(of: &lane) }
        }
    }
}
