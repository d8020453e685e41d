import Primitives

/// Everything the hub knows, as one value: verbs change it and return what is to be done, and nothing here
/// takes a lock, reads a clock or does I/O.
struct HubState {
    let limits: HubLimits
    /// Tells the ids of this life of the server from those of another; begins with a letter.
    let epoch: String
    /// Where this life of the server began: nothing that is not recorded is left of what was before.
    let start: Position
    /// The position of the newest event of any topic.
    var position: Position
    var isDraining = false
    var counters = HubCounters()
    var topics = Slab<TopicState>()
    var topicsByName: [TopicName: Topic] = [:]
    var openTopics = 0
    var stretches = Stretches()
    var reads = ReplayReads()
    var subscriptions = Slab<SubscriptionState>()
    var subscriptionsByID: [UniqueID: Slab<SubscriptionState>.Handle] = [:]

    init(limits: HubLimits, epoch: String, start: Position) {
        precondition(
            epoch.first?.isLetter == true && NewEvent.isValid(id: epoch) && !epoch.contains("-"),
            "an epoch is of the alphabet of ids, begins with a letter and has no dash")
        self.limits = limits
        self.epoch = epoch
        self.start = start
        position = start
    }

    /// Whom to tell after the lock has been left.
    typealias Drivers = [any SubscriptionDriver]

    // MARK: Topics

    mutating func insert(_ state: TopicState) throws(HubError) -> Topic {
        let name = state.name
        guard topicsByName[name] == nil else { throw .topicExists(name.text) }
        if state.access == .open {
            guard openTopics < limits.maxOpenTopics else { throw .tooManyTopics(limit: limits.maxOpenTopics) }
            openTopics += 1
        }
        let topic = Topic(name: name, handle: topics.insert(state))
        topicsByName[name] = topic
        return topic
    }

    mutating func removeTopic(_ topic: Topic) -> Drivers {
        guard let removed = topics.remove(topic.handle) else { return [] }
        topicsByName[removed.name] = nil
        if removed.access == .open { openTopics -= 1 }
        reads.forget(topic.handle)
        return removed.drivers
    }

    /// No event will follow those published. Subscriptions end when they have had them all.
    mutating func close(_ topic: Topic) -> Drivers {
        guard topics.contains(topic.handle) else { return [] }
        topics[topic.handle].isClosed = true
        return topics[topic.handle].drivers
    }

    /// Ends the topic's present subscriptions, after what was published so far. O(subscriptions of the hub), but
    /// only if the topic has any.
    mutating func stop(_ topic: Topic) -> Drivers {
        guard topics.contains(topic.handle) else { return [] }
        topics[topic.handle].isStopped = true
        guard topics[topic.handle].subscribers > 0 else { return [] }
        topics[topic.handle].subscribers = 0
        let end = topics[topic.handle].log.nextSequence
        let newest = topics[topic.handle].isStored ? position.durable : nil
        subscriptions.forEach { $0.end(topic, at: end, position: newest) }
        return topics[topic.handle].drivers
    }

    mutating func start(_ topic: Topic) {
        guard topics.contains(topic.handle) else { return }
        topics[topic.handle].isStopped = false
    }

    mutating func forget(_ topic: Topic, through position: UInt64) {
        guard topics.contains(topic.handle), topics[topic.handle].isStored else { return }
        topics[topic.handle].log.forget(through: position)
        reads.forget(topic.handle, through: position)
    }

    // MARK: Publishing

    mutating func publish(
        _ event: NewEvent, to topic: Topic, at durable: UInt64?, snapshot: Frame?, hidingTaggedBelow tag: UInt32,
        isLast: Bool, now: Duration
    ) -> (PublishReceipt, Drivers)? {
        if let durable {
            precondition(start.durable > 0, "a hub that records begins with a durable number")
            precondition(durable > position.durable, "recorded events are published in the order of their numbers")
            position = Position(durable: durable)
        }
        guard topics.contains(topic.handle), topics[topic.handle].acceptsEvents else { return nil }
        if durable == nil {
            precondition(!topics[topic.handle].isStored, "events of a recorded topic are recorded first")
            position = position.next
        }
        let id = event.id ?? EventID.position(position).text(epoch: epoch)
        topics[topic.handle].append(
            event, id: id, position: position, snapshot: snapshot, hidingTaggedBelow: tag, isLast: isLast, at: now)
        let receipt = PublishReceipt(id: id, matched: topics[topic.handle].subscribers)
        return (receipt, topics[topic.handle].drivers)
    }

    mutating func hide(in topic: Topic, taggedBelow tag: UInt32, snapshot: Frame?) {
        guard topics.contains(topic.handle) else { return }
        topics[topic.handle].snapshot = snapshot
        topics[topic.handle].log.hide(taggedBelow: tag)
    }

    mutating func withdraw(from topic: Topic, taggedBelow tag: UInt32, snapshot: Frame?) {
        guard topics.contains(topic.handle) else { return }
        topics[topic.handle].snapshot = snapshot
        topics[topic.handle].log.withdraw(taggedBelow: tag)
        stretches.forget(topic.handle)
        reads.forget(topic.handle)
    }

    // MARK: Subscriptions

    mutating func attach(
        _ subscription: Subscription, to driver: any SubscriptionDriver, token: UInt64, greeting: Frame?
    ) {
        guard subscriptions.contains(subscription.handle.slot) else { return }
        subscriptions[subscription.handle.slot].attach(to: driver, token: token, greeting: greeting, in: &topics)
    }

    /// Marks a subscription as ended. Its driver delivers the end and detaches it.
    mutating func cancel(id: UniqueID) -> (driver: any SubscriptionDriver, token: UInt64)?? {
        guard let subscription = subscriptionsByID[id] else { return nil }
        subscriptions[subscription].ending = .cancelled
        leave(subscription)
        guard let driver = subscriptions[subscription].driver else { return .some(nil) }
        return (driver, subscriptions[subscription].token)
    }

    mutating func detach(_ subscription: Slab<SubscriptionState>.Handle) {
        guard subscriptions.contains(subscription) else { return }
        leave(subscription)
        subscriptions.remove(subscription)
    }

    /// From here on the subscription is not counted and not found by its id.
    private mutating func leave(_ subscription: Slab<SubscriptionState>.Handle) {
        guard !subscriptions[subscription].hasLeft else { return }
        if let awaited = subscriptions[subscription].replay?.awaited { reads.abandon(awaited.key, subscription) }
        subscriptions[subscription].replay = nil
        subscriptions[subscription].leave(&topics)
        subscriptionsByID[subscriptions[subscription].id] = nil
    }

    mutating func drain() -> Drivers {
        isDraining = true
        reads.isOpen = false
        var drivers: [ObjectIdentifier: any SubscriptionDriver] = [:]
        subscriptions.forEach { subscription in
            if let driver = subscription.driver { drivers[ObjectIdentifier(driver)] = driver }
        }
        return Array(drivers.values)
    }
}
