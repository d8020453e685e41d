/// The newest keys that were put, up to a bound, with their values; the oldest are forgotten first.
struct BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value] = [:]
    /// Oldest first, from `head` on.
    private var order: [Key] = []
    private var head = 0

    var count: Int { values.count }
    var oldest: (key: Key, value: Value)? {
        guard head < order.count, let value = values[order[head]] else { return nil }
        return (order[head], value)
    }

    subscript(key: Key) -> Value? { values[key] }

    /// The key must be new.
    mutating func put(_ key: Key, _ value: Value) {
        values[key] = value
        order.append(key)
    }

    /// Takes back the newest put.
    mutating func removeNewest() {
        guard head < order.count, let key = order.popLast() else { return }
        values[key] = nil
    }

    mutating func removeOldest() {
        guard head < order.count else { return }
        values[order[head]] = nil
        head += 1
        if head >= 64, head * 2 >= order.count {
            order.removeFirst(head)
            head = 0
        }
    }

    mutating func trim(to bound: Int) {
        while count > bound { removeOldest() }
    }
}
