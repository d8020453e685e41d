import Primitives

/// What is kept of a start that came with an idempotency key.
struct RememberedKey: Sendable {
    let fingerprint: String
    let receipt: StartReceipt
    /// On the monotonic clock.
    let expires: Duration
}

/// The time of a verb: one reading for all it does.
struct Moment: Sendable {
    let wall: Timestamp
    let monotonic: Duration
}
