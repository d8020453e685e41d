import Glibc
import Primitives

/// SIGTERM and SIGINT, waited for by whichever thread calls.
///
/// Make it before any other thread starts: threads inherit the blocked signals, so that only the waiter gets them.
/// It works only as long as no thread unblocks them: see ``waiting(for:)``.
struct TerminationSignals: Sendable {
    struct Signal: Sendable {
        let number: Int32
        var name: String { number == SIGINT ? "interrupted" : "terminated" }
    }

    init() {
        // A peer that leaves is an error of send(2), not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        var set = Self.set
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        return set
    }

    /// Blocks the calling thread until the first signal.
    func first() -> Signal { Self.wait() }

    /// The next signal ends the process at once, with the status that shells give to a death by that signal.
    func exitOnNext() {
        _ = OwnThread(name: "signals") { _exit(128 + Self.wait().number) }
    }

    private static func wait() -> Signal {
        var set = Self.set
        var number: Int32 = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return Signal(number: number)
    }
}
