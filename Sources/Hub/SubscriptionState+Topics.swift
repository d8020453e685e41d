extension SubscriptionState {
    mutating func attach(
        to driver: any SubscriptionDriver, token: UInt64, greeting: Frame?, in topics: inout Slab<TopicState>
    ) {
        precondition(self.driver == nil, "a subscription is attached once")
        self.driver = driver
        self.token = token
        self.greeting = greeting
        // Lanes that are over, such as those of a subscription cancelled in the meantime, have left their topics
        // and would not take the driver off again.
        for lane in lanes where !lane.isOver && topics.contains(lane.topic.handle) {
            topics[lane.topic.handle].attach(driver)
        }
    }

    /// Its topics neither count it nor tell its driver any more.
    mutating func leave(_ topics: inout Slab<TopicState>) {
        for index in lanes.indices { leave(lane: index, in: &topics) }
        hasLeft = true
    }

    mutating func leave(lane index: Int, in topics: inout Slab<TopicState>) {
        guard !hasLeft, !lanes[index].isOver else { return }
        lanes[index].isOver = true
        replay?.forget(lane: index)
        let handle = lanes[index].topic.handle
        guard topics.contains(handle) else { return }
        if lanes[index].end == nil { topics[handle].subscribers -= 1 }
        if let driver { topics[handle].detach(driver) }
    }

    /// The topic was stopped: what it has at `end` and after is not for this subscription, unless an earlier
    /// stop has already ended it.
    /// - Parameter position: the newest durable number, if the topic is recorded.
    mutating func end(_ topic: Topic, at end: UInt64, position: UInt64?) {
        for index in lanes.indices where lanes[index].topic == topic && lanes[index].end == nil {
            lanes[index].end = end
            guard let position, lanes[index].policy == .all else { continue }
            if replay == nil { replay = Replay() }
            replay!.end(lane: index, at: position)
        }
    }
}
