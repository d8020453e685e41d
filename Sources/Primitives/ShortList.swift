/// Elements in order, the first of them in place: a list of one, the usual length where this is used, allocates
/// nothing and costs a reader no further cache line.
@frozen
public struct ShortList<Element> {
    @usableFromInline var head: Element?
    @usableFromInline var tail: [Element] = []

    @inlinable public init() {}

    @inlinable public init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    @inlinable public mutating func append(_ element: Element) {
        if head == nil { head = element } else { tail.append(element) }
    }

    @inlinable public mutating func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    /// O(n), but O(1) for a list of one.
    @discardableResult
    @inlinable public mutating func removeFirst() -> Element {
        let first = head!
        head = tail.isEmpty ? nil : tail.removeFirst()
        return first
    }
}

extension ShortList: RandomAccessCollection, MutableCollection {
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { head == nil ? 0 : 1 + tail.count }

    @inlinable public subscript(position: Int) -> Element {
        get { position == 0 ? head! : tail[position - 1] }
        _modify {
            if position == 0 { yield &head! } else { yield &tail[position - 1] }
        }
    }
}

extension ShortList: ExpressibleByArrayLiteral {
    @inlinable public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension ShortList: Sendable where Element: Sendable {}
