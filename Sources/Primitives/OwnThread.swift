import CLinux
import Glibc

/// A thread of the operating system for work that must not sit on the cooperative pool.
public final class OwnThread: Sendable {
    private let thread: Locked<pthread_t?>

    /// Starts the thread.
    /// - Parameters:
    ///   - name: the first 15 ASCII characters are shown by tools (pthread_setname_np(3)).
    ///   - niceness: added to the process's own, see nice(2): 0 is an equal of the other threads, 19 only
    ///     uses what they leave. POSIX gives a process one nice value; Linux gives each thread one of its own,
    ///     and setpriority(2) with a thread id sets that alone. A raised value needs no privilege.
    ///   - slice: how long the thread likes to run at a stretch, 0.1...100 ms; nil is the kernel's own choice, about 3 ms.
    ///     A longer one than that of others lets them interrupt it when they wake up: Linux protects a thread from
    ///     that until its slice is used up, whatever its niceness, unless the other asks for less at a time (6.12 and
    ///     later; the kernel's documentation of EEVDF). Where that is unknown it changes nothing.
    public init(
        name: String, niceness: Int32 = 0, slice: Duration? = nil, body: @escaping @Sendable () -> Void
    ) {
        let start = Start(name: name, niceness: niceness, slice: slice, body: body)
        var thread = pthread_t()
        // Retained here, released by the thread that gets it.
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                unsafe Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        precondition(result == 0, "pthread_create: \(unsafe String(cString: strerror(result)))")
        self.thread = Locked(thread)
    }

    /// A thread that was not joined ends on its own.
    deinit {
        if let thread = thread.withLock({ $0.take() }) { pthread_detach(thread) }
    }

    /// Waits for the body to return. Joining again returns at once; joining from the thread itself is a
    /// programmer's mistake.
    public func join() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        pthread_join(thread, nil)
    }
}

private final class Start: Sendable {
    let name: String
    let niceness: Int32
    let slice: Duration?
    let body: @Sendable () -> Void

    init(name: String, niceness: Int32, slice: Duration?, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.niceness = niceness
        self.slice = slice
        self.body = body
    }

    func run() {
        unsafe linux_set_thread_name(String(name.prefix(15)))
        if niceness != 0 {
            let current = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, current + niceness)
        }
        if let slice { linux_set_thread_slice(UInt64(slice / .nanoseconds(1))) }
        body()
    }
}
