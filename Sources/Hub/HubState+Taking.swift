extension HubState {
    /// Takes the pending events of a subscription, and moves its cursors past them.
    mutating func take(_ subscription: Subscription, maxBytes: Int, retryMilliseconds: Int) -> Delivery {
        guard subscriptions.contains(subscription.handle) else { return Delivery(isLast: true) }
        if isDraining {
            return subscriptions[subscription.handle].takeFarewell(
                ControlEvents.comeBack(afterMilliseconds: retryMilliseconds))
        }
        return subscriptions[subscription.handle].take(from: &topics, epoch: epoch, maxBytes: maxBytes)
    }
}
