import Primitives

/// The newest keys that were put, up to a bound, with their values; the oldest are forgotten first.
struct BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value] = [:]
    private var order = FIFO<Key>()

    var count: Int { values.count }
    var oldest: (key: Key, value: Value)? {
        guard let key = order.first, let value = values[key] else { return nil }
        return (key, value)
    }

    subscript(key: Key) -> Value? { values[key] }

    /// The key must be new.
    mutating func put(_ key: Key, _ value: Value) {
        values[key] = value
        order.append(key)
    }

    /// Takes back the newest put.
    mutating func removeNewest() {
        if let key = order.popLast() { values[key] = nil }
    }

    mutating func removeOldest() {
        if let key = order.popFirst() { values[key] = nil }
    }

    mutating func trim(to bound: Int) {
        while count > bound { removeOldest() }
    }
}
