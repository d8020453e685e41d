/// The bounds and the pace of the fan-out.
public struct FanOutConfiguration: Sendable {
    /// Threads that write to subscribers, each with a share of the connections. Default 1.
    public var threads = 1
    /// A connection to which nothing was written for this long gets a comment, so that proxies keep it open and
    /// a peer that is gone is found out. Default 15 s.
    public var heartbeatInterval = Duration.seconds(15)
    /// A connection that accepts not one byte of what is pending for this long is closed. Default 30 s.
    public var stallTimeout = Duration.seconds(30)
    /// Pending events that leave in one write, in bytes; at least one event does. Default 64 KiB.
    public var maxWriteBytes = 64 << 10

    public init() {}
}

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
