/// Now and then the loop looks at all of its connections: for heartbeats and for peers that stopped reading.
/// A sweep over 10,000 idle connections takes microseconds, so it needs no timer per connection.
extension FanOutLoop {
    /// A quarter of the shorter of the two intervals: neither is overstepped by more than that.
    var sweepInterval: Duration {
        max(.milliseconds(1), min(configuration.heartbeatInterval, configuration.stallTimeout) / 4)
    }

    func sweep() {
        sweeps &+= 1
        let heartbeatAge = UInt32(clamping: Int(configuration.heartbeatInterval / sweepInterval))
        let stallAge = UInt32(clamping: Int(configuration.stallTimeout / sweepInterval))
        for slot in 0..<connections.slotCount where connections.isOccupied(slot) {
            let age = sweeps &- connections[slot].lastProgress
            if !connections[slot].unsent.isEmpty {
                if age >= stallAge {
                    own.stalled += 1
                    disconnect(slot)
                }
            } else if age >= heartbeatAge {
                writeHeartbeat(slot)
            }
        }
    }
}
