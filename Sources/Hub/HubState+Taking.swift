extension HubState {
    /// Takes the pending events of a subscription, and moves its cursors past them.
    mutating func take(_ subscription: Subscription, maxBytes: Int, retryMilliseconds: Int) -> Delivery {
        guard subscriptions.contains(subscription.handle) else { return Delivery(isLast: true) }
        var delivery = subscriptions[subscription.handle].take(from: &topics, epoch: epoch, maxBytes: maxBytes)
        if isDraining, !delivery.hasMore, !delivery.isLast {
            // Only behind what is pending: the end of a run that the stop cancelled must reach its watchers.
            let farewell = subscriptions[subscription.handle].takeFarewell(
                ControlEvents.comeBack(afterMilliseconds: retryMilliseconds))
            for frame in farewell.frames { delivery.frames.append(frame) }
            delivery.isLast = true
        }
        return delivery
    }
}
