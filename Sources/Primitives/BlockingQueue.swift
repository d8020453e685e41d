import Glibc

/// A queue between threads, whose takers sleep while it is empty. First in, first out; urgent elements go before the others.
///
/// Threading: any thread, but for the cooperative pool's: taking blocks. Putting never blocks for longer than the copy of
/// an element.
///
/// Safety of `@unchecked Sendable` and `@safe`:
/// 1. `urgent`, `elements` and `isClosed` are touched only while `mutex` is locked.
/// 2. `mutex` and `condition` are on the heap at a fixed address, made in `init` and destroyed in `deinit`, when no
///    other reference, so no other user, exists.
/// 3. Elements cross threads, therefore `Element` is `Sendable`.
@safe public final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var urgent = FIFO<Element>()
    private var elements = FIFO<Element>()
    private var isClosed = false

    public init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe precondition(pthread_mutex_init(mutex, nil) == 0)
        unsafe precondition(pthread_cond_init(condition, nil) == 0)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// False, and nothing is put, once the queue is closed.
    /// - Parameter isUrgent: asked with the queue locked, so that whoever first changes the answer to true and then calls
    ///   ``hasten(where:)`` misses no element. Must be quick and must not touch the queue.
    public func put(_ element: Element, isUrgent: @autoclosure () -> Bool = false) -> Bool {
        locked {
            guard !isClosed else { return false }
            if isUrgent() { urgent.append(element) } else { elements.append(element) }
            unsafe pthread_cond_signal(condition)
            return true
        }
    }

    /// Waits for an element; nil once the queue is closed and empty.
    public func take() -> Element? {
        locked {
            waitForElement()
            return urgent.popFirst() ?? elements.popFirst()
        }
    }

    /// Waits for at least one element and takes all there are; empty once the queue is closed and empty.
    public func takeAll() -> [Element] {
        locked {
            waitForElement()
            return urgent.popAll() + elements.popAll()
        }
    }

    /// Makes those that are in the queue now and satisfy `isMeant` urgent. O(n).
    public func hasten(where isMeant: (Element) -> Bool) {
        locked {
            for element in elements.popAll() {
                if isMeant(element) { urgent.append(element) } else { elements.append(element) }
            }
        }
    }

    /// Wakes all takers for good; what is in the queue can still be taken.
    public func close() {
        locked {
            isClosed = true
            unsafe pthread_cond_broadcast(condition)
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Or for the close. With the mutex locked.
    private func waitForElement() {
        while urgent.isEmpty, elements.isEmpty, !isClosed { unsafe pthread_cond_wait(condition, mutex) }
    }
}
