import Dispatch
import Primitives

/// Does asynchronous work and waits for it on the calling thread, which must be the main one.
///
/// The main thread must not `await`: Swift's runtime would then give it to `dispatch_main`, and on Linux that parks it
/// in sigsuspend(2) with no signal blocked. The kernel prefers such a thread over one that waits in sigwait(3), so that
/// SIGTERM would end the process on the spot.
func waiting<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value {
    let result = Locked<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    // Detached: work that inherits the main actor would wait for the very thread that waits here.
    Task.detached {
        let value = await work()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { preconditionFailure("set before the signal") }
    return value
}
