import Jobs
public import Primitives

/// What is in a data directory, and whether it is sound.
public struct StoreReport: Sendable, Hashable {
    public struct File: Sendable, Hashable {
        public let name: String
        public let bytes: Int
    }

    public struct Topic: Sendable, Hashable {
        public let name: String
        public let events: Int
        public let bytes: Int
        public let published: Int
        /// When the oldest and the newest event that are kept were recorded.
        public let first: Timestamp?
        public let last: Timestamp?
    }

    /// Events of many topics together.
    public struct Total: Sendable, Hashable {
        public let topics: Int
        public let events: Int
        public let bytes: Int
    }

    public let directory: String
    /// Those that are the store's, by name.
    public let files: [File]
    /// The process that uses the directory; nil when none does, 0 when it is not known which.
    public let holder: Int32?
    public let schemaVersion: Int
    public let epoch: String
    public let position: UInt64
    public let createdAt: Timestamp
    /// Bytes of the database that hold something, as opposed to room that is used again.
    public let usedBytes: Int
    /// By the states of their current runs.
    public let jobs: [String: Int]
    public let runs: [String: Int]
    public let idempotencyKeys: Int
    public let tombstones: Int
    /// Those that clients made, by name.
    public let openTopics: [Topic]
    public let jobTopics: Total
    /// Topics that were removed, whose events are yet to go.
    public let removedTopics: Int
    /// All that is wrong, in words. Empty for a sound store.
    public let problems: [String]
}
