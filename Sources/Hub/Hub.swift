public import Primitives

/// Topics and those who follow them.
///
/// A topic is a log of encoded events; a subscription is a cursor into it. Publishing costs the same however slow
/// a subscriber is: nothing is kept per subscriber but its cursor.
///
/// Threading: every method may be called from any thread, and none waits for anything but the hub's own lock,
/// which is held for memory work only. Drivers are told of news after the lock is left.
public final class Hub: Sendable {
    let state: Locked<HubState>
    private let time: TimeSource
    let epoch: String
    let history: (any TopicHistory)?

    /// - Parameters:
    ///   - epoch: tells the ids of this order of events from another's: a letter first, then `[A-Za-z0-9._]`, no `-`.
    ///     Nil makes one from the wall clock, for a hub whose events do not outlive it.
    ///   - durablePosition: the last number that was given to a recorded event, or to this start of the server; 0 in a hub
    ///     that records nothing. Positions go on from it.
    ///   - history: has the events of recorded topics that are no longer in memory.
    public init(
        limits: HubLimits = HubLimits(), time: TimeSource = .system, epoch: String? = nil,
        durablePosition: UInt64 = 0, history: (any TopicHistory)? = nil
    ) {
        let epoch = epoch ?? "e" + String(time.wall().millisecondsSinceEpoch, radix: 36)
        self.epoch = epoch
        state = Locked(HubState(limits: limits, epoch: epoch, start: Position(durable: durablePosition)))
        self.time = time
        self.history = history
    }

    // MARK: Topics

    /// - Parameters:
    ///   - retention: what is kept of it in memory.
    ///   - stored: makes it a recorded topic, which goes on from these events: the newest is in memory at once, and what
    ///     was before it is in the history. All that is published to it must be recorded first.
    ///   - hiddenBelow: see ``hide(in:taggedBelow:snapshot:)``.
    ///   - snapshot: what all events so far amount to.
    ///   - isClosed: it is complete already: see ``close(_:)``.
    /// - Throws: `topicExists`; `tooManyTopics` for an open topic beyond the bound.
    @discardableResult
    public func makeTopic(
        _ name: TopicName, access: TopicAccess, policy: DeliveryPolicy, beginning: TopicBeginning = .next,
        retention: Retention = Retention(), stored: StoredTopic? = nil, hiddenBelow: UInt32 = 0,
        snapshot: Frame? = nil, isClosed: Bool = false
    ) throws(HubError) -> Topic {
        try state.withLock { state throws(HubError) in
            var topic = TopicState(
                name: name, access: access, policy: policy, beginning: beginning, retention: retention)
            topic.log.hide(taggedBelow: hiddenBelow)
            topic.snapshot = snapshot
            topic.isClosed = isClosed
            if let stored { topic.goOn(from: stored, epoch: state.epoch, at: state.position) }
            return try state.insert(topic)
        }
    }

    /// Nil when there is none (any more).
    public func topic(named name: TopicName) -> Topic? { state.withLock { $0.topicsByName[name] } }

    /// Removes a topic and its past; its subscriptions end. Doing it again is harmless.
    public func removeTopic(_ topic: Topic) {
        announce(topic, to: state.withLock { $0.removeTopic(topic) })
    }

    /// Removes a topic that nobody follows.
    /// - Returns: false when somebody does: nothing has changed.
    public func removeTopicIfUnfollowed(_ topic: Topic) -> Bool {
        // Nobody follows it, so there is nobody to tell.
        state.withLock { state in
            guard state.topics.contains(topic.handle), state.topics[topic.handle].subscribers == 0 else { return false }
            _ = state.removeTopic(topic)
            return true
        }
    }

    /// Declares a topic complete: the events that it has are its last. Its subscriptions end when they have had
    /// them; a consumer that comes back after the last gets `ended`.
    public func close(_ topic: Topic) {
        announce(topic, to: state.withLock { $0.close(topic) })
    }

    /// Ends every subscription that the topic has now, each after what was published so far. A subscription
    /// made from here on is a new one and waits for the topic to be started; a second stop ends it too.
    /// Until the start nothing can be published: a source that is late changes nothing.
    public func stop(_ topic: Topic) {
        announce(topic, to: state.withLock { $0.stop(topic) })
    }

    /// Declares that the topic's source runs again. To be called before it publishes.
    public func start(_ topic: Topic) { state.withLock { $0.start(topic) } }

    /// The history of a recorded topic has dropped its events at or before a durable number: so does memory, be it the
    /// newest. Who has not had them gets a gap.
    public func forget(_ topic: Topic, through position: UInt64) {
        state.withLock { $0.forget(topic, through: position) }
    }

    // MARK: Publishing

    /// Appends an event to the topic's log and wakes whoever follows it.
    /// - Parameters:
    ///   - durable: the number that the event was recorded with, greater than that of any event before; nil for an event
    ///     that is not recorded. Hub-wide positions go on from it, also when the topic takes no events any more.
    ///   - snapshot: what all events up to this one amount to, as a frame of one event without an id. It replaces the
    ///     topic's snapshot in the same step, so that a newcomer never gets one that was overtaken.
    ///   - tag: hides what is tagged below it in the same step, the event itself included: see
    ///     ``hide(in:taggedBelow:snapshot:)``. For a snapshot that makes it stale.
    ///   - isLast: closes the topic in the same step, so that nobody who has had the event is let in again.
    /// - Returns: nil when the topic is gone, closed or stopped: nothing was published.
    @discardableResult
    public func publish(
        _ event: NewEvent, to topic: Topic, at durable: UInt64? = nil, snapshot: Frame? = nil,
        hidingTaggedBelow tag: UInt32 = 0, isLast: Bool = false
    ) -> PublishReceipt? {
        let now = time.monotonic()
        guard
            let (receipt, drivers) = state.withLock({
                $0.publish(
                    event, to: topic, at: durable, snapshot: snapshot, hidingTaggedBelow: tag, isLast: isLast,
                    now: now)
            })
        else { return nil }
        announce(topic, to: drivers)
        return receipt
    }

    /// Keeps the events whose tag is in `1..<tag` from those who come from now on, and from those who are given a snapshot
    /// from now on: to them these are stale. Whoever follows the topic already gets them, in their place before what
    /// overtook them.
    /// - Parameter snapshot: replaces the topic's snapshot, which may have told of what is hidden.
    public func hide(in topic: Topic, taggedBelow tag: UInt32, snapshot: Frame? = nil) {
        state.withLock { $0.hide(in: topic, taggedBelow: tag, snapshot: snapshot) }
    }

    /// Takes back the events whose tag is in `1..<tag`, those that are still to come included: whoever has not had them
    /// yet never will, and a subscription that was owed them gets a gap in their place.
    ///
    /// Bytes that a driver has already taken are beyond recall.
    /// - Parameter snapshot: replaces the topic's snapshot, which may have told of what is withdrawn.
    public func withdraw(from topic: Topic, taggedBelow tag: UInt32, snapshot: Frame? = nil) {
        state.withLock { $0.withdraw(from: topic, taggedBelow: tag, snapshot: snapshot) }
    }

    // MARK: Subscribing

    /// Makes a subscription. It must be attached to a driver or detached.
    /// - Throws: `unknownTopic`, `tooManySubscriptions`, `tooManyTopicsInSubscription`, `draining`, and
    ///   `ended` when the cursor is past the end of all its topics.
    public func subscribe(_ request: SubscriptionRequest) throws(HubError) -> Subscription {
        let (id, now) = (UniqueID.random(), time.wall())
        return try state.withLock { state throws(HubError) in
            try state.subscribe(request, id: id, at: now)
        }
    }

    /// From here on `driver` is told when there may be something to take. It must take once after this.
    /// A subscription is attached once.
    /// - Parameters:
    ///   - token: handed back in ``SubscriptionDriver/subscriptionEnded(token:)``.
    ///   - greeting: delivered before everything else.
    public func attach(
        _ subscription: Subscription, to driver: any SubscriptionDriver, token: UInt64 = 0,
        greeting: Frame? = nil
    ) {
        state.withLock { $0.attach(subscription, to: driver, token: token, greeting: greeting) }
    }

    /// Ends one subscription and no other.
    /// - Returns: false when there is none with this id (any more).
    @discardableResult
    public func cancel(id: UniqueID) -> Bool {
        guard let attachment = state.withLock({ $0.cancel(id: id) }) else { return false }
        if let (driver, token) = attachment { driver.subscriptionEnded(token: token) }
        return true
    }

    /// Forgets a subscription. Doing it again is harmless.
    public func detach(_ subscription: Subscription.Handle) { state.withLock { $0.detach(subscription.slot) } }

    /// Ends every subscription with a word to come back later, and refuses new ones.
    public func drain() {
        for driver in state.withLock({ $0.drain() }) { driver.hubDrained() }
    }

    // MARK: Listing

    /// Subscriptions that ``HubLimits/maxSubscriptions`` counts: neither cancelled nor detached.
    public var subscriptionCount: Int { state.withLock { $0.subscriptionsByID.count } }

    public var counters: HubCounters { state.withLock { $0.counters } }

    /// Nil when the topic is gone.
    public func access(of topic: Topic) -> TopicAccess? {
        state.withLock { state in
            state.topics.contains(topic.handle) ? state.topics.with(topic.handle) { $0.access } : nil
        }
    }

    /// Nil when the topic is gone.
    public func info(of topic: Topic) -> TopicInfo? {
        let now = time.monotonic()
        return state.withLock { $0.info(of: topic, at: now) }
    }

    /// The topics whose name satisfies `isIncluded`, by name.
    public func topics(where isIncluded: @Sendable (TopicName) -> Bool = { _ in true }) -> [TopicInfo] {
        let now = time.monotonic()
        return state.withLock { state in
            state.topicsByName.values.filter { isIncluded($0.name) }
                .compactMap { state.info(of: $0, at: now) }
        }.sorted { $0.topic.name.text < $1.topic.name.text }
    }

    /// Every subscription, the oldest first.
    public func subscriptions() -> [SubscriptionInfo] {
        state.withLock { $0.subscriptionInfos() }.sorted { ($0.since, $0.id) < ($1.since, $1.id) }
    }

    private func announce(_ topic: Topic, to drivers: [any SubscriptionDriver]) {
        for driver in drivers { driver.topicAdvanced(topic) }
    }
}
