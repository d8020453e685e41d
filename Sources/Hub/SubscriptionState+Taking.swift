import Primitives

extension SubscriptionState {
    /// - Parameters:
    ///   - maxBytes: stop after the event that reaches this size, in bytes of text.
    ///   - position: what is newer waits, if every event is wanted of a single topic.
    mutating func take(
        from topics: inout Slab<TopicState>, sharing stretches: inout Stretches, reading reads: inout ReplayReads,
        as handle: Slab<SubscriptionState>.Handle, epoch: String, maxBytes: Int, through position: Position,
        counting counters: inout HubCounters
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
            guard let (lane, step, limit) = nextStep(in: &topics) else { break }
            switch step {
            case .nothing: preconditionFailure("nextStep returns what there is")
            case .over(let reason):
                leave(lane: lane, in: &topics)
                isOver = lanes.allSatisfy(\.isOver)
                delivery.frames.append(contentsOf: farewell(to: lane, reason: reason))
            case .gap(let reason, let next):
                guard let gap = takeGap(reason, resumingAt: next, lane: lane, from: &topics, epoch: epoch) else {
                    continue
                }
                counters.gaps += 1
                delivery.frames.append(gap)
            case .snapshot:
                delivery.frames.append(takeSnapshot(lane: lane, from: topics))
            case .past:
                guard requestPage(for: lane, of: handle, in: topics, by: &reads) else { return delivery }
            case .pageEvent(let index, _):
                let run = takeRun(
                    from: index, lane: lane, before: limit, maxBytes: maxBytes, counting: &counters)
                add(run.frame, run.eventCount, to: &delivery, &byteCount)
            case .event(_, let eventPosition) where eventPosition > position && isInStep:
                return delivery
            case .event(let sequence, _) where isInStep && hasMore(than: sequence, in: &topics):
                let stretch = takeStretch(
                    from: sequence, in: &topics, sharing: &stretches, maxBytes: maxBytes, through: position)
                add(stretch.frame, stretch.range.count, to: &delivery, &byteCount)
            case .event(let sequence, _):
                let frame = takeEvent(
                    at: sequence, lane: lane, from: &topics, epoch: epoch, counting: &counters)
                add(frame, 1, to: &delivery, &byteCount)
            }
        }
        delivery.isLast = isOver
        return delivery
    }

    /// Adds what was taken, and the end if there is to be no more.
    private mutating func add(
        _ frame: Frame, _ eventCount: Int, to delivery: inout Delivery, _ byteCount: inout Int
    ) {
        delivery.frames.append(frame)
        delivery.eventCount += eventCount
        byteCount += frame.textRange.count
        guard remaining == 0 else { return }
        isOver = true
        delivery.frames.append(ControlEvents.end(.limit))
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
    /// an event that was delivered never passes over one that was not. So none goes while a lane's next is not known.
    /// - Returns: with it, the lowest position of an event of another lane.
    private mutating func nextStep(
        in topics: inout Slab<TopicState>
    ) -> (lane: Int, step: Lane.Step, before: Position)? {
        if let replay, replay.search != nil { return nil }
        var earliest: (lane: Int, step: Lane.Step, position: Position)?
        var (second, waiting) = (Position.max, nil as Int?)
        for index in lanes.indices {
            let step = step(of: index, in: &topics)
            switch step {
            case .nothing: continue
            case .gap, .snapshot, .over: return (index, step, .max)
            case .past: waiting = waiting ?? index
            case .event(_, let position), .pageEvent(_, let position):
                if let first = earliest, position > first.position {
                    second = min(second, position)
                } else {
                    if let first = earliest { second = first.position }
                    earliest = (index, step, position)
                }
            }
        }
        if let waiting { return (waiting, .past, .max) }
        return earliest.map { ($0.lane, $0.step, second) }
    }

    mutating func step(of index: Int, in topics: inout Slab<TopicState>) -> Lane.Step {
        let step = lanes.with(index) { lane -> Lane.Step in
            guard !lane.isOver else { return .nothing }
            guard topics.contains(lane.topic.handle) else { return .over(.removed) }
            return topics.with(lane.topic.handle) { $0.step(of: &lane) }
        }
        if case .past = step { return pastStep(of: index, in: &topics) }
        return step
    }
}
