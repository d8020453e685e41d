/// What is kept of a start that came with an idempotency key.
struct RememberedKey: Sendable {
    let fingerprint: String
    let receipt: StartReceipt
    /// On the monotonic clock.
    let expires: Duration
}
