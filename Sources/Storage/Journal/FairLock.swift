import Primitives

/// A lock that is held across I/O, given in the order in which it was asked for: a thread that takes it again and again
/// does not keep others from it.
///
/// Threading: any thread but the cooperative pool's: taking it blocks. Not recursive: taking it twice on one thread is a
/// programmer's mistake and deadlocks.
///
/// Safety of `@unchecked Sendable`: `nextTicket` and `serving` are touched only while `monitor` is locked.
final class FairLock: @unchecked Sendable {
    private let monitor = Monitor()
    private var nextTicket: UInt64 = 0
    /// The ticket of the holder, or of the next one.
    private var serving: UInt64 = 0

    /// Runs `body` while no other thread runs one.
    func locked<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        take()
        defer { release() }
        return try body()
    }

    private func take() {
        monitor.locked {
            let ticket = nextTicket
            nextTicket += 1
            while serving != ticket { monitor.wait() }
        }
    }

    private func release() {
        monitor.locked {
            serving += 1
            // All, since only one of them has the next ticket. There are few.
            monitor.wakeAll()
        }
    }
}
