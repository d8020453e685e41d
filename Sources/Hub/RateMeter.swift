/// Counts in two windows of ten seconds: cheap, bounded, and close enough for a listing.
struct RateMeter {
    private static let window = Duration.seconds(10)
    private var windowStart = Duration.zero
    private var current = 0
    private var previous = 0

    mutating func count(at now: Duration) {
        turn(to: now)
        current += 1
    }

    /// Events per second, taking the previous window in proportion to how much of it is still near.
    mutating func rate(at now: Duration) -> Double {
        turn(to: now)
        let elapsed = (now - windowStart) / Self.window
        return (Double(previous) * (1 - elapsed) + Double(current)) / (Self.window / .seconds(1))
    }

    private mutating func turn(to now: Duration) {
        guard now - windowStart >= Self.window else { return }
        let isNext = now - windowStart < Self.window * 2
        previous = isNext ? current : 0
        current = 0
        windowStart = isNext ? windowStart + Self.window : now
    }
}
