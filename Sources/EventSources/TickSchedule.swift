/// When a periodic source fires: at whole multiples of an interval after its start.
///
/// Late firings are not made up for: the times that passed meanwhile are left out, and the grid is kept.
struct TickSchedule {
    let interval: Duration
    /// The next time to fire at.
    private(set) var due: Duration

    /// - Parameter start: the first firing is one interval later.
    init(interval: Duration, start: Duration) {
        precondition(interval > .zero, "an interval is positive")
        self.interval = interval
        due = start + interval
    }

    /// Moves on to the first time on the grid that is after `now`.
    mutating func fired(at now: Duration) {
        due += interval
        guard due <= now else { return }
        let missed = ((now - due) / interval).rounded(.down) + 1
        due += interval * Int(missed)
        // Dividing durations rounds; the grid must not fall behind.
        if due <= now { due += interval }
    }
}
