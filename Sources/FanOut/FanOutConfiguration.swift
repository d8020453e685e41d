/// The bounds and the pace of the fan-out.
public struct FanOutConfiguration: Sendable {
    /// Threads that write to subscribers, each with a share of the connections. Default 1.
    public var threads = 1
    /// A connection to which nothing was written for this long gets a comment, so that proxies keep it open and
    /// a peer that is gone is found out. Default 15 s.
    public var heartbeatInterval = Duration.seconds(15)
    /// A connection whose peer acknowledges not one byte of what it was sent for this long is closed. Default 30 s.
    public var stallTimeout = Duration.seconds(30)
    /// Pending events that leave in one write, in bytes; at least one event does. A connection whose socket is full holds
    /// the rest of one write. Default 32 KiB.
    public var maxWriteBytes = 32 << 10
    /// Subscribers are served for this long until newcomers, leavers and other topics have their turn; a batch that was
    /// begun is finished. Default 2 ms.
    public var turn = Duration.milliseconds(2)

    public init() {}

    /// How often connections are looked at: a quarter of the shorter interval, so that neither is overstepped by more.
    var sweepInterval: Duration { max(.milliseconds(1), min(heartbeatInterval, stallTimeout) / 4) }

    func sweeps(in duration: Duration) -> UInt32 { UInt32(clamping: Int(duration / sweepInterval)) }
}
