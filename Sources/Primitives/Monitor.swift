import Glibc

/// A mutex with a condition: guards what threads change, and lets them wait for a change.
///
/// Threading: any thread, but for the cooperative pool's where something is waited for. Not recursive.
///
/// Safety of `@unchecked Sendable` and `@safe`: `mutex` and `condition` are on the heap at a fixed address, made in `init`
/// and destroyed in `deinit`, when no other reference, so no other user, exists.
@safe public final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

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

    /// Runs `body` with the mutex locked.
    public func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Within ``locked(_:)``: unlocks the mutex until woken. What was waited for has to be looked at again.
    public func wait() { unsafe pthread_cond_wait(condition, mutex) }

    /// Wakes one that waits.
    public func wakeOne() { unsafe pthread_cond_signal(condition) }

    /// Wakes all that wait.
    public func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}
