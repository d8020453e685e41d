import Hub

/// Connections that are served together, and what the hub has for them.
struct Batch {
    /// Few, so that what the hub has given is on its way within a fraction of a millisecond.
    static let capacity = 32
    /// Frames that are taken with the hub's lock held once, and the rest of one connection's: a fraction of a millisecond
    /// too when a backlog waits for each.
    static let maxFrames = 128

    private var slots: [Int] = []
    /// Where they stand in their room, from the last to the first.
    private var positions: [Int] = []
    private var subscriptions: [Subscription.Handle] = []
    private var deliveries: [Delivery] = []

    mutating func append(_ slot: Int, _ subscription: Subscription.Handle, position: Int) {
        slots.append(slot)
        positions.append(position)
        subscriptions.append(subscription)
    }

    /// - Returns: the position of the first member that has to wait for another batch; nil when all had their turn.
    mutating func take(from hub: Hub, maxBytes: Int, through position: Position) -> Int? {
        defer { positions.removeAll(keepingCapacity: true) }
        hub.take(
            subscriptions, maxBytes: maxBytes, through: position, maxFrames: Self.maxFrames, into: &deliveries)
        subscriptions.removeAll(keepingCapacity: true)
        guard deliveries.count < slots.count else { return nil }
        slots.removeLast(slots.count - deliveries.count)
        return positions[deliveries.count]
    }

    mutating func popLast() -> (slot: Int, delivery: Delivery)? {
        guard let slot = slots.popLast(), let delivery = deliveries.popLast() else { return nil }
        return (slot, delivery)
    }
}
