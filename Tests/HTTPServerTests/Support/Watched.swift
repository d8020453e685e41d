import Glibc

/// A value that threads can wait on. For tests that block; the deadline only ends a test that is
/// going to fail.
///
/// `@unchecked Sendable`: the value is touched only while the mutex is held. `@safe`: the mutex and
/// the condition are allocated in `init`, freed in `deinit` and never moved.
@safe final class Watched<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ value: sending Value) {
        self.value = value
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    func update<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    /// Returns true as soon as `isReached` holds; false after `seconds`.
    func wait(seconds: Int = 20, until isReached: (Value) -> Bool) -> Bool {
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += seconds
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isReached(value) {
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) != 0 { return isReached(value) }
        }
        return true
    }
}
