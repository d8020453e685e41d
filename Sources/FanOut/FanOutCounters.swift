/// What the fan-out has done since it was started. Counters only grow.
public struct FanOutCounters: Sendable, Equatable {
    /// Connections open now.
    public var connections = 0
    /// Taken by the kernel, with chunk framing, heartbeats and the like.
    public var bytesWritten: UInt64 = 0
    /// Calls of send(2), those that fell short included.
    public var writes: UInt64 = 0
    /// Published events taken from the hub to be written.
    public var eventsWritten: UInt64 = 0
    /// Frames of which a compressed form was made: once each, however many connections got it.
    public var framesCompressed: UInt64 = 0
    /// Connections closed because their peer stopped reading.
    public var stalled: UInt64 = 0

    public init() {}

    static func + (left: FanOutCounters, right: FanOutCounters) -> FanOutCounters {
        var sum = left
        sum.connections += right.connections
        sum.bytesWritten += right.bytesWritten
        sum.writes += right.writes
        sum.eventsWritten += right.eventsWritten
        sum.framesCompressed += right.framesCompressed
        sum.stalled += right.stalled
        return sum
    }
}
