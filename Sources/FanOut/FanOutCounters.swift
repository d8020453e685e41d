/// What the fan-out has done since it was started. Counters only grow.
public struct FanOutCounters: Sendable, Equatable {
    /// Connections open now.
    public var connections = 0
    public var bytesWritten: UInt64 = 0
    public var writes: UInt64 = 0
    public var eventsWritten: UInt64 = 0
    /// Connections closed because their peer stopped reading.
    public var stalled: UInt64 = 0

    public init() {}

    static func + (left: FanOutCounters, right: FanOutCounters) -> FanOutCounters {
        var sum = left
        sum.connections += right.connections
        sum.bytesWritten += right.bytesWritten
        sum.writes += right.writes
        sum.eventsWritten += right.eventsWritten
        sum.stalled += right.stalled
        return sum
    }
}
