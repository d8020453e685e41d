extension HubState {
    mutating func info(of topic: Topic, at now: Duration) -> TopicInfo? {
        guard topics.contains(topic.handle) else { return nil }
        let rate = topics[topic.handle].rate.rate(at: now)
        let state = topics[topic.handle]
        let newest = state.log.count == 0 ? nil : state.log[state.log.nextSequence - 1]
        return TopicInfo(
            topic: topic, access: state.access, policy: state.policy, subscribers: state.subscribers,
            lastEventID: newest.map { $0.id.text(epoch: epoch) },
            published: state.log.nextSequence, retained: state.log.count, rate: rate,
            isStored: state.isStored, isStopped: state.isStopped, isClosed: state.isClosed)
    }

    func subscriptionInfos() -> [SubscriptionInfo] {
        subscriptionsByID.values.map { subscription in
            let state = subscriptions[subscription]
            return SubscriptionInfo(
                id: state.id, topics: state.lanes.map(\.topic.name), since: state.since,
                delivered: state.delivered, conflated: state.conflated,
                lag: state.lanes.reduce(0) { $0 + lag(of: $1) })
        }
    }

    private func lag(of lane: Lane) -> UInt64 {
        guard !lane.isOver, topics.contains(lane.topic.handle) else { return 0 }
        let end = lane.end ?? topics[lane.topic.handle].log.nextSequence
        return end > lane.next ? end - lane.next : 0
    }
}
