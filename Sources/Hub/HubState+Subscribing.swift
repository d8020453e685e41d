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
        if cursor != nil, lanes.allSatisfy(isPastItsEnd) { throw .ended }
        guard subscriptionsByID.count < limits.maxSubscriptions else {
            throw .tooManySubscriptions(limit: limits.maxSubscriptions)
        }
        let handle = subscriptions.insert(
            SubscriptionState(id: id, since: time, lanes: lanes, remaining: request.limit))
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
            && lane.next >= topic.log.nextSequence
    }

    private func lane(of topic: Topic, for request: SubscriptionRequest, from cursor: Cursor?) -> Lane {
        let log = topics[topic.handle].log
        var lane = Lane(
            topic: topic, policy: request.policy ?? topics[topic.handle].policy,
            next: topics[topic.handle].beginning == .stored ? log.firstSequence : log.nextSequence,
            silentBelow: log.goneBelow, isAtItsBeginning: cursor == nil, hiddenBelow: log.hiddenBelow)
        switch cursor {
        case nil: break
        case .after(let position):
            lane.next = log.firstSequence(after: position)
            lane.silentBelow = 0
            lane.lastID = request.lastEventID.map(EventID.own)
            // Conflation has no need of what was evicted.
            if lane.policy == .all, log.lastEvictedPosition > position { lane.pendingGap = .evicted }
        case .nowhere(let reason):
            lane.next = log.firstSequence
            // It may have had some of what is kept: what was withdrawn from that is a gap, too.
            lane.silentBelow = 0
            lane.pendingGap = reason
            // What is not an id is never sent back: it comes from a header or a URL.
            lane.lastID = request.lastEventID.flatMap { NewEvent.isValid(id: $0) ? .own($0) : nil }
        }
        return lane
    }

    private enum Cursor: Equatable {
        case after(position: Position)
        /// The id addresses no place: all that is retained is delivered, after a gap.
        case nowhere(GapReason)
    }

    /// The hub's own form goes first: no publisher's id can stand in for it.
    private func resolve(_ id: String, among topics: [Topic]) -> Cursor {
        let parts = id.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == epoch, let position = Position(parts[1], inHubThatRecords: start.durable > 0) {
            return position <= self.position ? .after(position: position) : .nowhere(.unknown)
        }
        for topic in topics {
            let log = self.topics[topic.handle].log
            if let sequence = log.sequence(ofOwnID: id) { return .after(position: log[sequence].position) }
        }
        // An own id of digits alone, such as a run's, was evicted or never was.
        let isOfAnotherLife =
            parts.count == 2 && UInt64(parts[1]) != nil && !parts[0].allSatisfy(\.isNumber)
        return .nowhere(isOfAnotherLife ? .restarted : .unknown)
    }
}
