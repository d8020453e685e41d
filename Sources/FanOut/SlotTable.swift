/// The connections of a loop, in slots that are used again. A tag names a slot and its generation, so that news about
/// a connection that has gone does not reach the one that has its slot now.
struct SlotTable {
    private struct Slot {
        var generation: UInt32 = 0
        var connection: Connection?
    }

    private var slots: ContiguousArray<Slot> = []
    private var free: [Int] = []

    var isEmpty: Bool { slots.count == free.count }
    var occupied: [Int] { slots.indices.filter { slots[$0].connection != nil } }
    var slotCount: Int { slots.count }

    func isOccupied(_ slot: Int) -> Bool { slots[slot].connection != nil }

    subscript(slot: Int) -> Connection {
        _read { yield slots[slot].connection! }
        _modify { yield &slots[slot].connection! }
    }

    mutating func insert(_ connection: Connection) -> (slot: Int, tag: UInt64) {
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        slots[slot].connection = connection
        return (slot, UInt64(slots[slot].generation) << 32 | UInt64(slot))
    }

    mutating func remove(_ slot: Int) -> Connection {
        let connection = slots[slot].connection.take()!
        // 31 bits, so that no tag is the one that stands for a wake-up.
        slots[slot].generation = (slots[slot].generation + 1) & 0x7FFF_FFFF
        free.append(slot)
        return connection
    }

    func slot(ofTag tag: UInt64) -> Int? {
        let slot = Int(tag & 0xFFFF_FFFF)
        guard slot < slots.count, slots[slot].generation == UInt32(tag >> 32), isOccupied(slot) else {
            return nil
        }
        return slot
    }
}
