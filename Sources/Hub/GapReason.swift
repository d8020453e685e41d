/// Why events that a consumer asked for or was owed can't be given.
enum GapReason: String, Sendable {
    /// Older than what the topic retains.
    case evicted
    /// Values of a run that is no longer the current one.
    case superseded
    /// The cursor is of another life of the server.
    case restarted
    /// No event has this id.
    case unknown
    /// What is stored of it can't be read.
    case unreadable
}
