/// What a publisher learns.
public struct PublishReceipt: Sendable, Equatable {
    public let id: String
    /// Subscriptions of the topic at that moment, those that a stop has ended not among them.
    public let matched: Int
}
