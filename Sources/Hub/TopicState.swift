/// A topic as the hub keeps it: a log, and a count of who follows it. A value type without a lock or a clock.
struct TopicState {
    let name: TopicName
    let access: TopicAccess
    let policy: DeliveryPolicy
    let beginning: TopicBeginning
    var log: TopicLog
    /// What all events so far amount to, for those who have not seen them. Replaced with each event.
    var snapshot: Frame?
    var rate = RateMeter()
    /// Subscriptions that will get what is published next.
    var subscribers = 0
    /// Whoever must be told of news, each once, with the number of its subscriptions to this topic.
    var drivers: [(driver: any SubscriptionDriver, subscriptions: Int)] = []
    /// Complete for good: nothing will be published any more.
    var isClosed = false
    /// The source does not run.
    var isStopped = false
    var acceptsEvents: Bool { !isClosed && !isStopped }

    mutating func attach(_ driver: any SubscriptionDriver) {
        if let index = drivers.firstIndex(where: { $0.driver === driver }) {
            drivers[index].subscriptions += 1
        } else {
            drivers.append((driver, 1))
        }
    }

    mutating func detach(_ driver: any SubscriptionDriver) {
        guard let index = drivers.firstIndex(where: { $0.driver === driver }) else { return }
        drivers[index].subscriptions -= 1
        if drivers[index].subscriptions == 0 { drivers.remove(at: index) }
    }
}
