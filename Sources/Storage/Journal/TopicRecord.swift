/// What is known of a topic without looking at its events: a row of `topics`.
struct TopicRecord: Sendable, Hashable {
    let key: Int64
    let name: String
    /// Clients made it, as opposed to a topic of a job or a run.
    let isOpen: Bool
    /// Events that are kept, and the bytes of their fields.
    var events = 0
    var bytes = 0
    /// Events that were ever recorded.
    var published: UInt64 = 0
    /// The position of the newest event that is kept; 0 when none is.
    var newest: UInt64 = 0
    /// The position of the newest event that is no longer kept; 0 when all are.
    var evictedThrough: UInt64 = 0
    /// Events with a tag in `1..<withdrawnBelow` are withdrawn, whenever they come.
    var withdrawnBelow: UInt32 = 0
}
