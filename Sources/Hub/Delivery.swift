public import Primitives

/// What a driver gets for one subscription.
public struct Delivery: Sendable {
    /// In order; all of them may leave in one write.
    public internal(set) var frames = ShortList<Frame>()
    /// How many of the events in them were published (the others tell of the stream itself).
    public internal(set) var eventCount = 0
    /// Nothing follows: write this, then end the connection and detach the subscription.
    public internal(set) var isLast = false
    /// There may be more to take at once.
    public internal(set) var hasMore = false
}
