import Primitives

extension HubState {
    /// Takes the pending events of a subscription, and moves its cursors past them.
    mutating func take(
        _ subscription: Slab<SubscriptionState>.Handle, maxBytes: Int, through position: Position,
        retryMilliseconds: Int
    ) -> Delivery {
        guard subscriptions.contains(subscription) else { return Delivery(isLast: true) }
        if subscriptions[subscription].replay?.search != nil { seek(for: subscription) }
        var delivery = subscriptions[subscription].take(
            from: &topics, sharing: &stretches, reading: &reads, as: subscription, epoch: epoch, maxBytes: maxBytes,
            // The last that a stream gets before its farewell is all there is.
            through: isDraining ? .max : position, counting: &counters)
        if isDraining, !delivery.hasMore, !delivery.isLast {
            // Only behind what is pending: the end of a run that the stop cancelled must reach its watchers.
            let farewell = subscriptions[subscription].takeFarewell(
                ControlEvents.comeBack(afterMilliseconds: retryMilliseconds))
            delivery.frames.append(contentsOf: farewell.frames)
            delivery.isLast = true
        }
        return delivery
    }
}
