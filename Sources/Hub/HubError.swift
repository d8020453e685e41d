/// Why the hub refused. Nothing has changed when one of these is thrown.
public enum HubError: Error, Sendable, Equatable {
    /// Not `[A-Za-z0-9._-]` segments joined by `/`, 128 bytes at most.
    case invalidTopicName(String)
    /// Empty, over 128 bytes, or with a CR, LF or NUL.
    case invalidEventName(String)
    /// Empty, over 128 bytes, or outside `[A-Za-z0-9._-]`.
    case invalidEventID(String)
    case unknownTopic(String)
    case topicExists(String)
    /// The bound is ``HubLimits/maxOpenTopics``.
    case tooManyTopics(limit: Int)
    /// The bound is ``HubLimits/maxSubscriptions``.
    case tooManySubscriptions(limit: Int)
    /// The bound is ``HubLimits/maxTopicsPerSubscription``.
    case tooManyTopicsInSubscription(limit: Int)
    /// The stream has ended for good and the cursor is past its end.
    case ended
    /// The hub is draining: no new subscriptions.
    case draining
}
