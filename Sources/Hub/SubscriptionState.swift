import Primitives

/// A subscription as the hub keeps it: a cursor into each of its topics. A value type.
struct SubscriptionState {
    let id: UniqueID
    let since: Timestamp
    var lanes: [Lane]
    /// Events until the requested limit; nil is no limit.
    var remaining: Int?
    var driver: (any SubscriptionDriver)?
    var token: UInt64 = 0
    /// Goes before everything else.
    var greeting: Frame?
    var delivered: UInt64 = 0
    var conflated: UInt64 = 0
    var ending: EndReason?
    /// No longer counted with its topics nor found by its id.
    var hasLeft = false
    /// Its last delivery was taken.
    var isOver = false
}
