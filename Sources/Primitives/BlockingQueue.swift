import Glibc

/// A first-in first-out queue between threads, whose takers sleep while it is empty.
///
/// Threading: any thread, but for the cooperative pool's: taking blocks. Putting never blocks for longer than the copy of
/// an element.
///
/// Safety of `@unchecked Sendable` and `@safe`:
/// 1. `elements` and `isClosed` are touched only while `mutex` is locked.
/// 2. `mutex` and `condition` are on the heap at a fixed address, made in `init` and destroyed in `deinit`, when no
///    other reference, so no other user, exists.
/// 3. Elements cross threads, therefore `Element` is `Sendable`.
@safe public final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
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
    public func put(_ element: Element) -> Bool {
        locked {
            guard !isClosed else { return false }
            elements.append(element)
            unsafe pthread_cond_signal(condition)
            return true
        }
    }

    /// Waits for an element; nil once the queue is closed and empty.
    public func take() -> Element? {
        locked {
            waitForElement()
            return elements.popFirst()
        }
    }

    /// Waits for at least one element and takes all there are; empty once the queue is closed and empty.
    public func takeAll() -> [Element] {
        locked {
            waitForElement()
            return elements.popAll()
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
        while elements.isEmpty, !isClosed { unsafe pthread_cond_wait(condition, mutex) }
    }
}
