/// Now and then the writer looks at all of its connections: for heartbeats and for peers that stopped reading.
/// Looking at 10,000 idle connections takes microseconds, so it needs no timer per connection; but 10,000 heartbeats take
/// as long as an event to all, so a sweep goes on a little with each turn of the loop, and news comes in between.
extension StreamWriter {
    /// A sweep that is still under way is cut short: what it would have found, the next one will.
    mutating func beginSweep() {
        sweeps &+= 1
        nextToSweep = 0
    }

    var isSweeping: Bool { nextToSweep < connections.slotCount }

    /// Goes on with the sweep, if there is one, until so many connections have been written to or cut off.
    mutating func sweep(atMost count: Int) {
        let heartbeatAge = UInt32(clamping: Int(configuration.heartbeatInterval / configuration.sweepInterval))
        let stallAge = UInt32(clamping: Int(configuration.stallTimeout / configuration.sweepInterval))
        var remaining = count
        while isSweeping, remaining > 0 {
            let slot = nextToSweep
            nextToSweep += 1
            guard connections.isOccupied(slot) else { continue }
            let age = sweeps &- connections[slot].lastProgress
            if !connections[slot].unsent.isEmpty {
                guard age >= stallAge else { continue }
                counters.stalled += 1
                disconnect(slot)
            } else {
                guard age >= heartbeatAge else { continue }
                writeHeartbeat(slot)
            }
            remaining -= 1
        }
    }
}
