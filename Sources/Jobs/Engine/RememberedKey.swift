/// What is kept of a start that came with an idempotency key.
struct RememberedKey: Sendable {
    let fingerprint: String
    let receipt: StartReceipt
    /// On the monotonic clock.
    let expires: Duration
}

extension JobRecords {
    /// The keys whose lives are not over, oldest first. Wall-clock time tells how old they are, since no other clock
    /// goes on between two processes; where it went back, a key counts as new.
    func remembered(at moment: Moment, within limits: JobLimits) -> BoundedMemory<String, RememberedKey> {
        var newest: [String: RecordedKey] = [:]
        for recorded in keys { newest[recorded.key.key] = recorded }
        var remembered = BoundedMemory<String, RememberedKey>()
        for recorded in keys where newest[recorded.key.key] == recorded && remembered[recorded.key.key] == nil {
            let age = max(.zero, recorded.time.duration(to: moment.wall))
            guard age < limits.idempotencyKeyLifetime else { continue }
            remembered.put(
                recorded.key.key,
                RememberedKey(
                    fingerprint: recorded.key.fingerprint, receipt: recorded.receipt,
                    expires: moment.monotonic + limits.idempotencyKeyLifetime - age))
        }
        remembered.trim(to: limits.maxIdempotencyKeys)
        return remembered
    }
}
