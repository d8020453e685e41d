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
        let lanes = lanes(of: followed, for: request)
        if request.lastEventID != nil, lanes.allSatisfy(isPastItsEnd) { throw .ended }
        guard subscriptionsByID.count < limits.maxSubscriptions else {
            throw .tooManySubscriptions(limit: limits.maxSubscriptions)
        }
        let handle = subscriptions.insert(
            SubscriptionState(id: id, since: time, lanes: lanes, remaining: request.limit))
        for lane in lanes { topics[lane.topic.handle].subscribers += 1 }
        let subscription = Subscription(
            id: id, topics: followed, policy: lanes.allSatisfy { $0.policy == .latest } ? .latest : .all,
            handle: handle)
        subscriptionsByID[id] = subscription
        return subscription
    }

    /// A consumer that has had everything of a topic that is complete, or whose source does not run,
    /// has nothing to come back for.
    private func isPastItsEnd(_ lane: Lane) -> Bool {
        let topic = topics[lane.topic.handle]
        return (topic.isClosed || topic.isStopped) && lane.pendingGap == nil
            && lane.next >= topic.log.nextSequence
    }

    private func lanes(of followed: [Topic], for request: SubscriptionRequest) -> [Lane] {
        let cursor = request.lastEventID.map { resolve($0, among: followed) }
        return followed.map { topic in
            let log = topics[topic.handle].log
            let policy = request.policy ?? topics[topic.handle].policy
            var lane = Lane(
                topic: topic, policy: policy, term: topics[topic.handle].term,
                next: request.replaysStored ? log.firstSequence : log.nextSequence,
                silentBefore: cursor == nil ? log.nextSequence : 0, wantsSnapshot: request.wantsSnapshot,
                needsSnapshot: request.wantsSnapshot)
            switch cursor {
            case nil: break
            case .after(let position):
                lane.next = log.firstSequence(after: position)
                // Conflation has no need of what was evicted.
                if policy == .all, log.lastEvictedPosition > position {
                    lane.pendingGap = Gap(reason: .evicted, from: request.lastEventID)
                }
            case .nowhere(let reason):
                lane.next = log.firstSequence
                lane.pendingGap = Gap(reason: reason, from: request.lastEventID)
            }
            lane.lastID = request.lastEventID.map(EventID.own)
            return lane
        }
    }

    private enum Cursor {
        case after(position: UInt64)
        /// The id addresses no place: all that is retained is delivered, after a gap.
        case nowhere(Gap.Reason)
    }

    private func resolve(_ id: String, among topics: [Topic]) -> Cursor {
        for topic in topics {
            let log = self.topics[topic.handle].log
            if let sequence = log.sequence(ofOwnID: id) { return .after(position: log[sequence].position) }
        }
        let parts = id.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let position = UInt64(parts[1]) else { return .nowhere(.unknown) }
        guard parts[0] == epoch else {
            // An own id of digits alone, such as a run's, was evicted or never was.
            return .nowhere(parts[0].allSatisfy(\.isNumber) ? .unknown : .restarted)
        }
        return position <= self.position ? .after(position: position) : .nowhere(.unknown)
    }
}
