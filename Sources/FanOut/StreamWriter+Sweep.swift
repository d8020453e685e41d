/// Now and then the loop looks at all of its connections: for heartbeats and for peers that stopped reading.
/// A sweep over 10,000 idle connections takes microseconds, so it needs no timer per connection.
extension StreamWriter {
    mutating func sweep() {
        sweeps &+= 1
        let heartbeatAge = UInt32(clamping: Int(configuration.heartbeatInterval / configuration.sweepInterval))
        let stallAge = UInt32(clamping: Int(configuration.stallTimeout / configuration.sweepInterval))
        for slot in 0..<connections.slotCount where connections.isOccupied(slot) {
            let age = sweeps &- connections[slot].lastProgress
            if !connections[slot].unsent.isEmpty {
                if age >= stallAge {
                    counters.stalled += 1
                    disconnect(slot)
                }
            } else if age >= heartbeatAge {
                writeHeartbeat(slot)
            }
        }
    }
}
