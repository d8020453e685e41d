public import Storage

/// Where and how jobs and events are kept.
public struct StoreConfiguration: Sendable {
    /// The data directory; made if it is missing. It belongs to one server at a time.
    public var directory: String
    public var durability = Durability.full
    /// What is kept of topics.
    public var retention = StoreRetention()

    public init(directory: String) { self.directory = directory }
}
