/// First in, first out. Appending and popping are O(1) over time; the storage is kept for the next burst.
public struct FIFO<Element> {
    /// Nil where an element was popped: everywhere before `head`, nowhere else.
    private var slots: [Element?] = []
    private var head = 0

    public init() {}

    public var count: Int { slots.count - head }
    public var isEmpty: Bool { head == slots.count }
    public var first: Element? { isEmpty ? nil : slots[head] }

    public mutating func append(_ element: Element) { slots.append(element) }

    @discardableResult
    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[head].take()
        head += 1
        if isEmpty {
            slots.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1_024, head * 2 >= slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes back what was appended last.
    @discardableResult
    public mutating func popLast() -> Element? { isEmpty ? nil : slots.removeLast() }

    /// Everything in order; the storage is let go.
    public mutating func popAll() -> [Element] {
        defer { self = FIFO() }
        // Not by a key path: that is made at run time.
        return slots[head...].compactMap { $0 }
    }
}

extension FIFO: Sendable where Element: Sendable {}
