import Glibc

/// A thread outside the cooperative pool, which may block or compute for as long as it likes.
struct OwnThread: Sendable {
    private let thread: pthread_t

    private final class Start {
        let niceness: Int32
        let body: @Sendable () -> Void

        init(niceness: Int32, body: @escaping @Sendable () -> Void) {
            self.niceness = niceness
            self.body = body
        }
    }

    /// Starts the thread.
    ///
    /// - Parameter niceness: see nice(2); above 0 means that others go first, 0 is the process's own.
    init(niceness: Int32 = 0, body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(niceness: niceness, body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                // setpriority(2): POSIX makes the nice value an attribute of the process, Linux one of the thread, and
                // there "process 0" is the calling thread. To be nicer is always allowed; if not, nothing is lost.
                if start.niceness != 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, start.niceness) }
                start.body()
                return nil
            }, start.toOpaque())
        precondition(result == 0, "pthread_create fails only when the system has no room for another thread")
        self.thread = thread
    }

    /// Waits for its end. Exactly one of `join` and `detach` must be called, once.
    func join() { pthread_join(thread, nil) }

    /// Lets it end on its own.
    func detach() { pthread_detach(thread) }
}
