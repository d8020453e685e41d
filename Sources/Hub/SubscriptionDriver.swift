/// Delivers to the subscriptions it was attached to. Called by the hub after it has left its lock, on the
/// thread of whoever caused the news; it must return at once and must not call back into the hub.
public protocol SubscriptionDriver: AnyObject, Sendable {
    /// Subscriptions of this topic that are attached to this driver may have something to take.
    func topicAdvanced(_ topic: Topic)
    /// The subscription that was attached with `token` has ended.
    func subscriptionEnded(token: UInt64)
    /// For the subscription that was attached with `token` there may be something to take: what it waited for has been read
    /// from the history.
    func subscriptionReady(token: UInt64)
    /// Every subscription has ended: the hub drains.
    func hubDrained()
}
