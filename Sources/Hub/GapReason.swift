/// Why events that a consumer asked for or was owed can't be given; the gravest last.
enum GapReason: String, Sendable {
    /// Values of a run that is no longer the current one.
    case superseded
    /// Older than what the topic retains.
    case evicted
    /// The cursor is of another life of the server.
    case restarted
    /// No event has this id.
    case unknown
    /// What is stored of it can't be read.
    case unreadable
}

extension GapReason: Comparable {
    private var gravity: Int {
        switch self {
        case .superseded: 0
        case .evicted: 1
        case .restarted: 2
        case .unknown: 3
        case .unreadable: 4
        }
    }

    static func < (left: GapReason, right: GapReason) -> Bool { left.gravity < right.gravity }
}
