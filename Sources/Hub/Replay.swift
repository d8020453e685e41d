/// What a subscription keeps while it reads on from the history. A class, so that one that never does pays for a
/// reference alone; the subscription is its only owner.
final class Replay {
    /// What was read for a lane, and how much of it the lane has had.
    struct Reading {
        let lane: Int
        let outcome: Result<ReplayPage, HistoryError>
        /// What a page says of what was lost before it has yet to be heard.
        var mayBeBehindLost: Bool
        /// The first of the page's events that the lane is not past.
        var next = 0
    }

    /// The search for the place of an id of a publisher's own that is no longer in memory.
    struct Search {
        let id: String
        /// Lanes whose topics may have it; the last is asked next.
        var untried: [Int]
        /// What the consumer is told when none has it.
        let ifNotFound: GapReason
    }

    var readings: [Reading] = []
    /// One read at a time.
    private(set) var awaited: (key: ReplayKey, lane: Int)?
    /// For lanes whose topic was stopped: the durable number of the last event that may be theirs.
    private var ends: [(lane: Int, position: UInt64)] = []
    /// While it goes on, no lane knows its place.
    var search: Search?

    var isIdle: Bool { readings.isEmpty && awaited == nil && ends.isEmpty && search == nil }

    func wait(for key: ReplayKey, lane: Int) {
        precondition(awaited == nil, "a subscription reads one page at a time")
        awaited = (key, lane)
    }

    /// What was awaited is here. An outcome of anything else is none of its concern.
    /// - Returns: whether it was.
    func supply(_ outcome: Result<ReplayPage, HistoryError>, for key: ReplayKey) -> Bool {
        guard let awaited, awaited.key == key else { return false }
        self.awaited = nil
        readings.append(Reading(lane: awaited.lane, outcome: outcome, mayBeBehindLost: key.start != .beginning))
        return true
    }

    func index(of lane: Int) -> Int? { readings.firstIndex { $0.lane == lane } }

    func end(of lane: Int) -> UInt64? { ends.first { $0.lane == lane }?.position }

    func end(lane: Int, at position: UInt64) { ends.append((lane, position)) }

    /// The lane is over.
    func forget(lane: Int) {
        readings.removeAll { $0.lane == lane }
        ends.removeAll { $0.lane == lane }
    }
}
