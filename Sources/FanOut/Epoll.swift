import CLinux
import Glibc

/// An epoll(7) set with an eventfd(2) to wake its waiter.
///
/// Safety: the two descriptors are constants, and the kernel serialises what is done to them.
final class Epoll: Sendable {
    struct Readiness {
        /// What the socket was added with.
        let tag: UInt64
        let hasHungUp: Bool
        let isWritable: Bool
    }

    private static let wakeTag = UInt64.max
    private let set: Int32
    private let wakeUp: Int32

    init() {
        set = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(set >= 0 && wakeUp >= 0, "no descriptors left to begin with")
        precondition(add(wakeUp, tag: Self.wakeTag, interest: EPOLLIN), "an eventfd can be polled")
    }

    deinit {
        close(wakeUp)
        close(set)
    }

    /// Reports, once for each change, that the socket became writable or that its peer left.
    ///
    /// Edge-triggered (EPOLLET): the kernel reports writability only after a write fell short, so that a
    /// connection that keeps up costs no call but its writes. What has happened already is reported at once.
    func addSocket(_ descriptor: Int32, tag: UInt64) -> Bool {
        add(
            descriptor, tag: tag,
            interest: EPOLL_EVENTS(EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue))
    }

    private func add(_ descriptor: Int32, tag: UInt64, interest: EPOLL_EVENTS) -> Bool {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: tag))
        return unsafe epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Ends the present or the next `wait`. Any thread.
    func wake() {
        var one: UInt64 = 1
        // It fails only when the counter is full, and then the waiter is awake anyway.
        _ = unsafe write(wakeUp, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits for a wake-up or until a socket is ready, at most for `milliseconds`.
    func wait(milliseconds: Int32, _ body: (Readiness) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = unsafe epoll_wait(set, events.baseAddress, Int32(events.count), milliseconds)
            guard count > 0 else { return }
            for index in 0..<Int(count) {
                let (bits, tag) = unsafe (events[index].events, events[index].data.u64)
                if tag == Self.wakeTag {
                    clearWakeUp()
                    continue
                }
                let hangUp = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
                body(
                    Readiness(
                        tag: tag, hasHungUp: bits & hangUp != 0, isWritable: bits & EPOLLOUT.rawValue != 0))
            }
        }
    }

    private func clearWakeUp() {
        var count: UInt64 = 0
        _ = unsafe read(wakeUp, &count, MemoryLayout<UInt64>.size)
    }
}
