import Primitives

/// The time of a verb: one reading for all it does.
struct Moment: Sendable {
    let wall: Timestamp
    let monotonic: Duration
}
