/// What a commit has changed.
struct CommitReport: Sendable {
    /// As they are now; without those it removed.
    let topics: [TopicRecord]
    /// Of the fields of the events that it recorded.
    let newBytes: Int
    /// Bytes of the write-ahead log.
    let logBytes: Int
}
