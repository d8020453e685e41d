import CLinux

/// Now and then the writer looks at all of its connections: for heartbeats and for peers that stopped reading. That needs
/// no timer per connection; but 10,000 heartbeats take as long as an event to all, so a sweep goes on a little with each
/// turn of the loop, and news comes in between.
extension StreamWriter {
    /// What a turn spends on a sweep at most: one for a look at a connection, which is a system call, 16 for a write.
    static let sweepBudget = 4_096
    private static let writeCost = 16

    /// A sweep that is still under way is cut short: what it would have found, the next one will.
    mutating func beginSweep() {
        sweeps &+= 1
        nextToSweep = 0
    }

    var isSweeping: Bool { nextToSweep < connections.slotCount }

    /// Goes on with the sweep, if there is one.
    mutating func sweep(budget: Int = sweepBudget) {
        var budget = budget
        while isSweeping, budget > 0 {
            if connections.isOccupied(nextToSweep) { budget -= look(at: nextToSweep) }
            nextToSweep += 1
        }
    }

    /// - Returns: what it took of the budget.
    private mutating func look(at slot: Int) -> Int {
        let outstanding = Int(linux_send_queue_bytes(connections[slot].descriptor))
        let silence = connections[slot].progress.silence(outstanding: max(0, outstanding), at: sweeps)
        if silence >= stallSweeps {
            counters.stalled += 1
            cutOff(slot)
            return Self.writeCost
        }
        let quiet = sweeps &- connections[slot].progress.lastWrite
        guard quiet >= heartbeatSweeps else { return 1 }
        writeHeartbeat(slot)
        return Self.writeCost
    }
}
