/// Reading on from the history, where memory does not go back far enough. What it touches is apart from what an event
/// touches, and nobody else pays for it.
extension SubscriptionState {
    /// What comes next in a lane whose next event is no longer in memory: what is on the page that was read for it, and
    /// what memory has when there is nothing in between any more.
    mutating func pastStep(of index: Int, in topics: inout Slab<TopicState>) -> Lane.Step {
        guard let replay else { return .past }
        let step = lanes.with(index) { lane in
            topics.with(lane.topic.handle) { topic in topic.step(of: &lane, at: index, in: replay) }
        }
        if replay.isIdle { self.replay = nil }
        return step
    }

    /// Asks for the page that a lane needs next.
    /// - Parameter start: nil is where the lane is.
    /// - Returns: whether it is here already; else it comes later, or is not to be had.
    mutating func requestPage(
        for index: Int, from start: HistoryRequest.Start? = nil, of subscription: Slab<SubscriptionState>.Handle,
        in topics: Slab<TopicState>, by reads: inout ReplayReads
    ) -> Bool {
        if replay == nil { replay = Replay() }
        guard let replay, replay.awaited == nil else { return false }
        let topic = topics[lanes[index].topic.handle]
        let read = ReplayRead(
            of: lanes[index].topic, topic, from: start ?? topic.historyStart(of: lanes[index]),
            through: min(topic.log.lastEvictedPosition.durable, replay.end(of: index) ?? .max), topics: lanes.count)
        if let page = reads.page(read.key) {
            replay.wait(for: read.key, lane: index)
            return replay.supply(.success(page), for: read.key)
        }
        if reads.wait(for: read, subscription) { replay.wait(for: read.key, lane: index) }
        return false
    }

    func page(of lane: Int) -> ReplayPage? {
        guard let replay, let reading = replay.index(of: lane) else { return nil }
        return try? replay.readings[reading].outcome.get()
    }

    /// To an event of the page that is here, or behind its last: then the page is let go.
    mutating func move(lane index: Int, toIndex next: Int) {
        guard let replay, let reading = replay.index(of: index), let page = page(of: index) else { return }
        if next == page.events.count {
            lanes[index].reached = max(lanes[index].reached, min(page.through, replay.end(of: index) ?? .max))
            replay.readings.remove(at: reading)
            if replay.isIdle { self.replay = nil }
        } else if next > 0 {
            replay.readings[reading].next = next
            lanes[index].reached = max(lanes[index].reached, page.events[next - 1].position)
        }
    }

    /// The events of the page that may leave together.
    /// - Parameter position: the first that is not to be among them: another lane has one there.
    mutating func takeRun(
        from first: Int, lane index: Int, before position: Position, maxBytes: Int, counting counters: inout HubCounters
    ) -> (frame: Frame, eventCount: Int) {
        let page = page(of: index)!
        var bound = position
        if let end = replay?.end(of: index) { bound = min(bound, Position(durable: end).next) }
        let run = page.run(
            from: first, before: bound, hiddenBelow: lanes[index].hiddenBelow, maxBytes: maxBytes,
            maxEvents: remaining ?? .max)
        move(lane: index, toIndex: run.indices.upperBound)
        lanes[index].isAtItsBeginning = false
        lanes[index].lastID = page.events[run.indices.upperBound - 1].id
        delivered += UInt64(run.indices.count)
        if let remaining { self.remaining = remaining - run.indices.count }
        counters.historyEvents += UInt64(run.indices.count)
        return (run.frame, run.indices.count)
    }
}

extension TopicState {
    /// With the oldest event that is kept, where it is not known which that was when the consumer came.
    fileprivate func historyStart(of lane: Lane) -> HistoryRequest.Start {
        lane.reached == 0 && log.forgottenThrough == nil ? .beginning : .after(position: lane.reached)
    }

    /// - Parameter lane: moves past what it is not to be told of, and back into memory at the end of the past.
    fileprivate func step(of lane: inout Lane, at index: Int, in replay: Replay) -> Lane.Step {
        let end = replay.end(of: index) ?? .max
        while isPast(lane) {
            guard lane.reached < end else {
                // What was published after the stop is not for this lane, wherever it is.
                lane.reached = .max
                lane.next = lane.end ?? log.nextSequence
                break
            }
            guard let reading = replay.index(of: index) else { return .past }
            switch replay.readings[reading].outcome {
            case .failure:
                replay.readings.remove(at: reading)
                lane.pendingGap = .unreadable
                goOnInMemory(&lane, behind: log.lastEvictedPosition.durable)
            case .success(let page):
                if let step = step(of: &lane, on: page, &replay.readings[reading], end: end) { return step }
                replay.readings.remove(at: reading)
            }
        }
        return step(of: &lane)
    }

    /// - Returns: nil when the page is of no more use.
    private func step(
        of lane: inout Lane, on page: ReplayPage, _ reading: inout Replay.Reading, end: UInt64
    ) -> Lane.Step? {
        // It was made before something on it was withdrawn.
        if page.lowestTag < log.withdrawnBelow { return nil }
        let events = page.events
        if reading.mayBeBehindLost, page.isBehindEvicted {
            lane.pendingGap = max(lane.pendingGap ?? .evicted, .evicted)
            lane.reached = max(lane.reached, events.first.map { $0.position - 1 } ?? page.through)
        }
        reading.mayBeBehindLost = false
        while reading.next < events.count, !events[reading.next].isVisible(hiddenBelow: lane.hiddenBelow),
            events[reading.next].withdrawalTag < lane.silentBelow
        {
            lane.reached = max(lane.reached, events[reading.next].position)
            reading.next += 1
        }
        guard reading.next < events.count, events[reading.next].position <= end else {
            goOnInMemory(&lane, behind: min(end, page.through))
            return nil
        }
        if let reason = lane.pendingGap { return .gap(reason, resumingAt: .page(reading.next)) }
        if lane.needsSnapshot, snapshot != nil, lane.end == nil { return .snapshot }
        var next = reading.next
        while next < events.count, events[next].position <= end,
            !events[next].isVisible(hiddenBelow: lane.hiddenBelow)
        {
            next += 1
        }
        if next > reading.next { return .gap(.superseded, resumingAt: .page(next)) }
        return .pageEvent(next, position: Position(durable: events[next].position))
    }

    /// Where memory begins behind this, the lane goes on there; else in the past.
    private func goOnInMemory(_ lane: inout Lane, behind position: UInt64) {
        lane.reached = max(lane.reached, position)
        lane.next = log.firstSequence(after: Position(durable: lane.reached, minor: .max))
    }
}
