import Glibc

/// A first-in first-out queue between threads, whose takers sleep while it is empty.
///
/// Not for the cooperative pool: taking blocks the thread. Putting never blocks for longer than the copy of an element.
///
/// Safety of `@unchecked Sendable`:
/// 1. `elements`, `head` and `isClosed` are touched only while `mutex` is locked.
/// 2. `mutex` and `condition` are on the heap at a fixed address, made in `init` and destroyed in `deinit`, when no
///    other reference, so no other user, exists.
/// 3. Elements cross threads, therefore `Element` is `Sendable`.
final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var elements: [Element?] = []
    private var head = 0
    private var isClosed = false

    init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        precondition(pthread_mutex_init(mutex, nil) == 0)
        precondition(pthread_cond_init(condition, nil) == 0)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// False, and nothing is put, once the queue is closed.
    func put(_ element: Element) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosed else { return false }
        elements.append(element)
        pthread_cond_signal(condition)
        return true
    }

    /// Waits for an element; nil once the queue is closed and empty.
    func take() -> Element? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while head == elements.count {
            if isClosed { return nil }
            pthread_cond_wait(condition, mutex)
        }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1_024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Waits for at least one element and takes all there are; empty once the queue is closed and empty.
    func takeAll() -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while head == elements.count, !isClosed {
            pthread_cond_wait(condition, mutex)
        }
        defer {
            elements.removeAll()
            head = 0
        }
        return elements[head...].compactMap(\.self)
    }

    /// Wakes all takers for good; what is in the queue can still be taken.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
