/// Events that a consumer asked for or was owed and can't be given.
struct Gap: Sendable, Equatable {
    enum Reason: String, Sendable {
        /// Older than what the topic retains.
        case evicted
        /// Values of a run that is no longer the current one.
        case superseded
        /// The cursor is of another life of the server.
        case restarted
        /// No event has this id.
        case unknown
    }

    let reason: Reason
    /// The last id the consumer has had; nil for none.
    let from: String?
}
