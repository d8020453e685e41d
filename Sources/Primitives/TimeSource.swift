import Glibc

/// Where readings of time come from: a monotonic one to measure with, a wall-clock one to record.
/// What has to *wait* takes a `Clock` instead. Tests pass a manual clock for both.
public struct TimeSource: Sendable {
    /// Time since an arbitrary start; never goes back.
    public let monotonic: @Sendable () -> Duration
    public let wall: @Sendable () -> Timestamp

    public init(
        monotonic: @escaping @Sendable () -> Duration,
        wall: @escaping @Sendable () -> Timestamp
    ) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// The system's clocks (`clock_gettime(2)`: CLOCK_MONOTONIC, CLOCK_REALTIME).
    public static let system = TimeSource(
        monotonic: {
            let time = reading(of: CLOCK_MONOTONIC)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        },
        wall: {
            let time = reading(of: CLOCK_REALTIME)
            return Timestamp(
                millisecondsSinceEpoch: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
        })
}

private func reading(of clock: clockid_t) -> timespec {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "clock_gettime fails only for a clock the kernel lacks")
    return time
}
