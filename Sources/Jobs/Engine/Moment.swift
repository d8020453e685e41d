import Primitives

/// The time of a verb: one reading for all it does.
struct Moment: Sendable {
    let wall: Timestamp
    let monotonic: Duration
}

extension Timestamp {
    /// Negative when `later` is not later.
    func duration(to later: Timestamp) -> Duration {
        .milliseconds(later.millisecondsSinceEpoch - millisecondsSinceEpoch)
    }
}
