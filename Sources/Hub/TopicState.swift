/// A topic as the hub keeps it: a log, and a count of who follows it. A value type without a lock or a clock.
struct TopicState {
    let name: TopicName
    let access: TopicAccess
    let policy: DeliveryPolicy
    let beginning: TopicBeginning
    /// What the history knows it by; nil when its events are not recorded.
    private(set) var historyKey: Int64?
    var log: TopicLog
    /// What all events so far amount to, for those who have not seen them. Replaced with each event.
    var snapshot: Frame?
    var rate = RateMeter()
    /// Subscriptions that will get what is published next.
    var subscribers = 0
    /// Whoever must be told of news, each once.
    private(set) var drivers: [any SubscriptionDriver] = []
    /// How many subscriptions to this topic each of them has; in the same order.
    private var subscriptionsOfDrivers: [Int] = []
    /// Complete for good: nothing will be published any more.
    var isClosed = false
    /// The source does not run.
    var isStopped = false
    var acceptsEvents: Bool { !isClosed && !isStopped }
    var isStored: Bool { historyKey != nil }

    init(
        name: TopicName, access: TopicAccess, policy: DeliveryPolicy, beginning: TopicBeginning, retention: Retention
    ) {
        (self.name, self.access, self.policy, self.beginning) = (name, access, policy, beginning)
        log = TopicLog(retention: retention)
    }

    mutating func attach(_ driver: any SubscriptionDriver) {
        if let index = drivers.firstIndex(where: { $0 === driver }) {
            subscriptionsOfDrivers[index] += 1
        } else {
            drivers.append(driver)
            subscriptionsOfDrivers.append(1)
        }
    }

    mutating func detach(_ driver: any SubscriptionDriver) {
        guard let index = drivers.firstIndex(where: { $0 === driver }) else { return }
        subscriptionsOfDrivers[index] -= 1
        if subscriptionsOfDrivers[index] == 0 {
            drivers.remove(at: index)
            subscriptionsOfDrivers.remove(at: index)
        }
    }

    /// Makes a new topic one whose events are recorded: some of them have been already.
    /// - Parameter position: the hub's.
    mutating func goOn(from stored: StoredTopic, epoch: String, at position: Position) {
        historyKey = stored.key
        log.withdraw(taggedBelow: stored.withdrawnBelow)
        guard let newest = stored.newest else {
            // Whatever it had is gone.
            let before = stored.published > 0 ? position : Position(durable: stored.evictedThrough ?? 0)
            return log.goOn(
                at: stored.published, behind: before, forgottenThrough: stored.evictedThrough ?? before.durable)
        }
        precondition(newest.position <= position.durable, "what is recorded has a number that was given")
        // Where there is one before it, it is no longer in memory.
        let before = stored.published > 1 ? newest.position - 1 : 0
        // At least the newest was published, whatever a damaged store says.
        log.goOn(
            at: max(stored.published, 1) - 1, behind: Position(durable: before), forgottenThrough: stored.evictedThrough
        )
        let entry = TopicLog.Entry(newest, epoch: epoch)
        log.append(entry)
    }

    mutating func append(
        _ event: NewEvent, id: String, position: Position, snapshot: Frame?, hidingTaggedBelow tag: UInt32,
        isLast: Bool,
        at now: Duration
    ) {
        log.hide(taggedBelow: tag)
        log.append(
            TopicLog.Entry(
                position: position, ownID: event.id, isJSON: event.isJSON, withdrawalTag: event.withdrawalTag,
                frame: Frame(id: id, fields: event.fields)))
        self.snapshot = snapshot
        isClosed = isLast
        rate.count(at: now)
    }
}
