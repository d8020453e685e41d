/// Values in reusable slots, addressed by handles that go stale when their value is removed.
///
/// Insertion, look-up and removal are O(1). A stale handle finds nothing, even when the slot is in use again:
/// that is what makes cleaning up twice harmless.
struct Slab<Value> {
    struct Handle: Sendable, Hashable {
        fileprivate let index: Int32
        fileprivate let generation: UInt32
    }

    private struct Slot {
        var generation: UInt32 = 0
        var value: Value?
    }

    private var slots: ContiguousArray<Slot> = []
    private var free: [Int32] = []

    var count: Int { slots.count - free.count }

    mutating func insert(_ value: Value) -> Handle {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = Int32(slots.count)
            slots.append(Slot())
        }
        slots[Int(index)].value = value
        return Handle(index: index, generation: slots[Int(index)].generation)
    }

    @discardableResult
    mutating func remove(_ handle: Handle) -> Value? {
        guard contains(handle) else { return nil }
        let value = slots[Int(handle.index)].value.take()
        slots[Int(handle.index)].generation &+= 1
        free.append(handle.index)
        return value
    }

    /// Removal moves the generation on, so that no handle has that of a free slot.
    func contains(_ handle: Handle) -> Bool { slots[Int(handle.index)].generation == handle.generation }

    /// The value of a handle that is known to be current.
    subscript(handle: Handle) -> Value {
        _read {
            precondition(slots[Int(handle.index)].generation == handle.generation, "stale handle")
            yield slots[Int(handle.index)].value!
        }
        _modify {
            precondition(slots[Int(handle.index)].generation == handle.generation, "stale handle")
            yield &slots[Int(handle.index)].value!
        }
    }

    /// Works on a value in place: reading through the subscript copies it.
    mutating func with<Result>(_ handle: Handle, _ body: (inout Value) -> Result) -> Result { body(&self[handle]) }

    /// Visits every value, in no particular order. O(slots ever used at one time).
    mutating func forEach(_ body: (inout Value) -> Void) {
        for index in slots.indices where slots[index].value != nil { body(&slots[index].value!) }
    }
}
