import Glibc

/// A lock that is held across I/O, given in the order in which it was asked for: a thread that takes it again and again
/// does not keep others from it.
///
/// Threading: any thread but the cooperative pool's: taking it blocks. Not recursive: taking it twice on one thread is a
/// programmer's mistake and deadlocks.
///
/// Safety of `@unchecked Sendable` and `@safe`:
/// 1. `nextTicket` and `serving` are touched only while `mutex` is locked.
/// 2. `mutex` and `condition` are on the heap at a fixed address, made in `init` and destroyed in `deinit`, when no
///    other reference, so no other user, exists.
@safe final class FairLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var nextTicket: UInt64 = 0
    /// The ticket of the holder, or of the next one.
    private var serving: UInt64 = 0

    init() {
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

    /// Runs `body` while no other thread runs one.
    func locked<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        take()
        defer { release() }
        return try body()
    }

    private func take() {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let ticket = nextTicket
        nextTicket += 1
        while serving != ticket { unsafe pthread_cond_wait(condition, mutex) }
    }

    private func release() {
        unsafe pthread_mutex_lock(mutex)
        serving += 1
        // All, since only one of them has the next ticket. There are few.
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
