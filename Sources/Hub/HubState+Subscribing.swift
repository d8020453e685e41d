import Primitives

extension HubState {
    /// Registers a subscription. What is published from here on is its to take, whenever it is attached.
    mutating func subscribe(
        _ request: SubscriptionRequest, id: UniqueID, at time: Timestamp
    ) throws(HubError) -> Subscription {
        guard !isDraining else { throw .draining }
        guard request.topics.count <= limits.maxTopicsPerSubscription else {
            throw .tooManyTopicsInSubscription(limit: limits.maxTopicsPerSubscription)
        }
        var followed: [Topic] = []
        for name in request.topics {
            guard let topic = topicsByName[name] else { throw .unknownTopic(name.text) }
            if !followed.contains(topic) { followed.append(topic) }
        }
        precondition(!followed.isEmpty, "a subscription names at least one topic")
        let cursor = request.lastEventID.flatMap { $0.isEmpty ? nil : resolve($0, among: followed) }
        let lanes = Lanes(followed.map { lane(of: $0, for: request, from: cursor) })
        var replay: Replay?
        if case .sought(let ifNotFound) = cursor {
            let untried = lanes.indices.reversed().filter { lanes[$0].policy == .all && mayHaveOlder(lanes[$0]) }
            if !untried.isEmpty {
                replay = Replay()
                replay?.search = Replay.Search(
                    id: request.lastEventID ?? "", untried: untried, ifNotFound: ifNotFound)
            }
        }
        if cursor != nil, replay == nil, lanes.allSatisfy(isPastItsEnd) { throw .ended }
        guard subscriptionsByID.count < limits.maxSubscriptions else {
            throw .tooManySubscriptions(limit: limits.maxSubscriptions)
        }
        let handle = subscriptions.insert(
            SubscriptionState(id: id, since: time, lanes: lanes, remaining: request.limit, replay: replay))
        for lane in lanes { topics[lane.topic.handle].subscribers += 1 }
        let subscription = Subscription(
            id: id, topics: followed, policy: lanes.allSatisfy { $0.policy == .latest } ? .latest : .all,
            handle: Subscription.Handle(slot: handle))
        subscriptionsByID[id] = handle
        return subscription
    }

    /// A consumer that has had everything of a topic that is complete, or whose source does not run,
    /// has nothing to come back for.
    private func isPastItsEnd(_ lane: Lane) -> Bool {
        let topic = topics[lane.topic.handle]
        return (topic.isClosed || topic.isStopped) && lane.pendingGap == nil
            && lane.next >= topic.log.nextSequence && !topic.isPast(lane)
    }

    private func lane(of topic: Topic, for request: SubscriptionRequest, from cursor: Cursor?) -> Lane {
        let state = topics[topic.handle]
        let beginsWithStored = cursor == nil && state.beginning == .stored
        var lane = Lane(
            topic: topic, policy: request.policy ?? state.policy,
            next: beginsWithStored ? state.log.firstSequence : state.log.nextSequence,
            reached: beginsWithStored ? state.log.forgottenThrough ?? 0 : position.durable,
            silentBelow: cursor == nil ? state.log.goneBelow : 0, isAtItsBeginning: cursor == nil,
            hiddenBelow: state.log.hiddenBelow)
        if let cursor {
            // What is not an id is never sent back: it comes from a header or a URL.
            lane.lastID = request.lastEventID.flatMap { NewEvent.isValid(id: $0) ? .own($0) : nil }
            place(&lane, at: cursor)
        }
        return lane
    }

    /// Puts a lane where a cursor says.
    func place(_ lane: inout Lane, at cursor: Cursor) {
        guard topics.contains(lane.topic.handle) else { return }
        let topic = topics[lane.topic.handle]
        switch cursor {
        case .after(let position):
            lane.next = topic.log.firstSequence(after: position)
            lane.reached = position.durable
            lane.pendingGap = nil
            // Conflation has no need of what is gone, and the history knows what it lacks.
            guard lane.policy == .all, !topic.isStored else { return }
            if topic.log.lastEvictedPosition > position {
                lane.pendingGap = .evicted
            } else if position < start {
                lane.pendingGap = .restarted
            }
        case .nowhere(let reason):
            lane.next = topic.log.firstSequence
            // It may have had some of what is kept: what was withdrawn from that is a gap, too.
            // Where the history can't be read, memory is what is left, and all of it is newer than the place.
            lane.reached =
                reason == .unreadable ? topic.log.lastEvictedPosition.durable : topic.log.forgottenThrough ?? 0
            lane.pendingGap = reason
        case .sought(let ifNotFound):
            // Under `latest` what the history may know is older than what it gets, and no concern.
            let isOlder = lane.policy == .latest && mayHaveOlder(lane)
            place(&lane, at: .nowhere(ifNotFound))
            if isOlder { lane.pendingGap = nil }
        }
    }

    /// Where a consumer goes on.
    enum Cursor: Equatable {
        case after(Position)
        /// The id addresses no place: all that is retained is delivered, after a gap.
        case nowhere(GapReason)
        /// The id of a publisher's own is not in memory: unless the history knows it, it addresses no place.
        case sought(ifNotFound: GapReason)
    }

    /// Whether the lane's topic had events that the history may have, and memory has not.
    private func mayHaveOlder(_ lane: Lane) -> Bool {
        let topic = topics[lane.topic.handle]
        return topic.isStored && topic.log.lastEvictedPosition > .zero
    }

    /// The hub's own form goes first: no publisher's id can stand in for it.
    private func resolve(_ id: String, among topics: [Topic]) -> Cursor {
        let parts = id.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == epoch, let position = Position(parts[1], inHubThatRecords: start > .zero) {
            return position <= self.position ? .after(position) : .nowhere(.unknown)
        }
        for topic in topics {
            let log = self.topics[topic.handle].log
            if let sequence = log.sequence(ofOwnID: id) { return .after(log[sequence].position) }
        }
        // An own id of digits alone, such as a run's, was evicted or never was.
        let isOfAnotherLife =
            parts.count == 2 && Position(parts[1], inHubThatRecords: true) != nil
            && !parts[0].allSatisfy(\.isNumber)
        let reason = isOfAnotherLife ? GapReason.restarted : .unknown
        return NewEvent.isValid(id: id) ? .sought(ifNotFound: reason) : .nowhere(reason)
    }
}
