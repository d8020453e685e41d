import Hub

/// Connections that are served together, and what the hub has for them.
struct Batch {
    /// Few, so that what the hub has given is on its way within a fraction of a millisecond.
    static let capacity = 32

    private var slots: [Int] = []
    private var subscriptions: [Subscription.Handle] = []
    private var deliveries: [Delivery] = []

    mutating func append(_ slot: Int, _ subscription: Subscription.Handle) {
        slots.append(slot)
        subscriptions.append(subscription)
    }

    mutating func take(from hub: Hub, maxBytes: Int) {
        hub.take(subscriptions, maxBytes: maxBytes, into: &deliveries)
        subscriptions.removeAll(keepingCapacity: true)
    }

    mutating func popLast() -> (slot: Int, delivery: Delivery)? {
        guard let slot = slots.popLast(), let delivery = deliveries.popLast() else { return nil }
        return (slot, delivery)
    }
}
