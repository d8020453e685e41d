/// A queue between threads, whose takers sleep while it is empty. First in, first out; urgent elements go before the others.
///
/// Threading: any thread, but for the cooperative pool's: taking blocks. Putting never blocks for longer than the copy of
/// an element.
///
/// Safety of `@unchecked Sendable`:
/// 1. `urgent`, `elements` and `isClosed` are touched only while `monitor` is locked.
/// 2. Elements cross threads, therefore `Element` is `Sendable`.
public final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private var urgent = FIFO<Element>()
    private var elements = FIFO<Element>()
    private var isClosed = false

    public init() {}

    /// False, and nothing is put, once the queue is closed.
    /// - Parameter isUrgent: asked with the queue locked, so that whoever first changes the answer to true and then calls
    ///   ``hasten(where:)`` misses no element. Must be quick and must not touch the queue.
    public func put(_ element: Element, isUrgent: @autoclosure () -> Bool = false) -> Bool {
        monitor.locked {
            guard !isClosed else { return false }
            if isUrgent() { urgent.append(element) } else { elements.append(element) }
            monitor.wakeOne()
            return true
        }
    }

    /// Puts the element if nothing is in the queue: for a word that need not be said twice.
    public func putIfEmpty(_ element: Element) {
        monitor.locked {
            guard !isClosed, urgent.isEmpty, elements.isEmpty else { return }
            elements.append(element)
            monitor.wakeOne()
        }
    }

    /// Waits for an element; nil once the queue is closed and empty.
    public func take() -> Element? {
        monitor.locked {
            waitForElement()
            return urgent.popFirst() ?? elements.popFirst()
        }
    }

    /// Waits for at least one element and takes all there are; empty once the queue is closed and empty.
    public func takeAll() -> [Element] {
        monitor.locked {
            waitForElement()
            return urgent.popAll() + elements.popAll()
        }
    }

    /// Makes those that are in the queue now and satisfy `isMeant` urgent. O(n).
    public func hasten(where isMeant: (Element) -> Bool) {
        monitor.locked {
            for element in elements.popAll() {
                if isMeant(element) { urgent.append(element) } else { elements.append(element) }
            }
        }
    }

    /// Wakes all takers for good; what is in the queue can still be taken.
    public func close() {
        monitor.locked {
            isClosed = true
            monitor.wakeAll()
        }
    }

    /// Or for the close. With the monitor locked.
    private func waitForElement() {
        while urgent.isEmpty, elements.isEmpty, !isClosed { monitor.wait() }
    }
}
