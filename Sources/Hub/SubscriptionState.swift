import Primitives

/// A subscription as the hub keeps it: a cursor into each of its topics. A value type.
struct SubscriptionState {
    // What an event touches comes first, close together.
    var lanes: Lanes
    /// Goes before everything else.
    var greeting: Frame?
    var delivered: UInt64 = 0
    var conflated: UInt64 = 0
    /// Events until the requested limit; nil is no limit.
    var remaining: Int?
    var ending: EndReason?
    /// Nil for one that does not read on from the history.
    var replay: Replay?
    /// Its last delivery was taken.
    var isOver = false
    /// No longer counted with its topics nor found by its id.
    var hasLeft = false
    var driver: (any SubscriptionDriver)?
    var token: UInt64 = 0
    let id: UniqueID
    let since: Timestamp

    init(id: UniqueID, since: Timestamp, lanes: Lanes, remaining: Int?, replay: Replay? = nil) {
        (self.id, self.since, self.lanes, self.remaining, self.replay) = (id, since, lanes, remaining, replay)
    }
}
