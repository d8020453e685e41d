import Primitives

/// Everything the hub knows, as one value: verbs change it and return what is to be done, and nothing here
/// takes a lock, reads a clock or does I/O.
struct HubState {
    let limits: HubLimits
    /// Tells the ids of this life of the server from those of another; begins with a letter.
    let epoch: String
    /// The position of the newest event of any topic.
    var position: UInt64 = 0
    var isDraining = false
    var counters = HubCounters()
    var topics = Slab<TopicState>()
    var topicsByName: [TopicName: Topic] = [:]
    var openTopics = 0
    var stretches = Stretches()
    var subscriptions = Slab<SubscriptionState>()
    var subscriptionsByID: [UniqueID: Slab<SubscriptionState>.Handle] = [:]

    init(limits: HubLimits, epoch: String) {
        precondition(
            epoch.first?.isLetter == true && NewEvent.isValid(id: epoch) && !epoch.contains("-"),
            "an epoch is of the alphabet of ids, begins with a letter and has no dash")
        self.limits = limits
        self.epoch = epoch
    }

    /// Whom to tell after the lock has been left.
    typealias Drivers = [any SubscriptionDriver]

    // MARK: Topics

    mutating func makeTopic(
        _ name: TopicName, access: TopicAccess, policy: DeliveryPolicy, beginning: TopicBeginning,
        retention: Retention
    ) throws(HubError) -> Topic {
        guard topicsByName[name] == nil else { throw .topicExists(name.text) }
        if access == .open {
            guard openTopics < limits.maxOpenTopics else { throw .tooManyTopics(limit: limits.maxOpenTopics) }
            openTopics += 1
        }
        let handle = topics.insert(
            TopicState(
                name: name, access: access, policy: policy, beginning: beginning, retention: retention))
        let topic = Topic(name: name, handle: handle)
        topicsByName[name] = topic
        return topic
    }

    mutating func removeTopic(_ topic: Topic) -> Drivers {
        guard let removed = topics.remove(topic.handle) else { return [] }
        topicsByName[removed.name] = nil
        if removed.access == .open { openTopics -= 1 }
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
        subscriptions.forEach { $0.end(topic, at: end) }
        return topics[topic.handle].drivers
    }

    mutating func start(_ topic: Topic) {
        guard topics.contains(topic.handle) else { return }
        topics[topic.handle].isStopped = false
    }

    // MARK: Publishing

    mutating func publish(
        _ event: NewEvent, to topic: Topic, snapshot: Frame?, hidingTaggedBelow tag: UInt32, isLast: Bool,
        at now: Duration
    ) -> (PublishReceipt, Drivers)? {
        guard topics.contains(topic.handle), topics[topic.handle].acceptsEvents else { return nil }
        position += 1
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
        subscriptions[subscription].leave(&topics)
        subscriptionsByID[subscriptions[subscription].id] = nil
    }

    mutating func drain() -> Drivers {
        isDraining = true
        var drivers: [ObjectIdentifier: any SubscriptionDriver] = [:]
        subscriptions.forEach { subscription in
            if let driver = subscription.driver { drivers[ObjectIdentifier(driver)] = driver }
        }
        return Array(drivers.values)
    }
}
