import Glibc
import Hub
import Primitives
import Synchronization

/// A thread with its share of the connections. What only the thread touches is a `StreamWriter`, local to it; here is
/// what it shares with others.
final class FanOutLoop: Sendable {
    private let hub: Hub
    private let configuration: FanOutConfiguration
    private let time: TimeSource
    private let epoll = Epoll()
    private let inbox = Locked(Inbox())
    private let published = Locked(FanOutCounters())
    /// Connections on their way in count too, so that a burst of adoptions is spread over the loops.
    private let adopted = Atomic<Int>(0)
    private let thread = Locked<OwnThread?>(nil)

    init(hub: Hub, configuration: FanOutConfiguration, time: TimeSource, name: String) {
        self.hub = hub
        self.configuration = configuration
        self.time = time
        let thread = OwnThread(name: name) { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    // MARK: From any thread

    var connectionCount: Int { adopted.load(ordering: .relaxed) }
    var counters: FanOutCounters { published.withLock { $0 } }

    func adopt(_ adoption: Adoption) {
        adopted.add(1, ordering: .relaxed)
        post { $0.adoptions.append(adoption) }
    }

    func finish(within bound: Duration) { post { $0.finishBound = bound } }
    func join() { thread.withLock { $0 }?.join() }

    private func post(_ change: (inout Inbox) -> Void) {
        let wasEmpty = inbox.withLock { inbox in
            let wasEmpty = inbox.isEmpty
            change(&inbox)
            return wasEmpty
        }
        if wasEmpty { epoll.wake() }
    }

    // MARK: On the loop's thread

    private func run() {
        var writer = StreamWriter(hub: hub, configuration: configuration, epoll: epoll)
        var deadline: Duration?
        var nextSweep = time.monotonic() + configuration.sweepInterval
        while true {
            let open = writer.counters.connections
            let wakeTime = min(nextSweep, deadline ?? nextSweep)
            epoll.wait(milliseconds: writer.hasWork ? 0 : milliseconds(until: wakeTime)) { readiness in
                writer.connectionChanged(readiness)
            }
            let news = inbox.withLock { inbox in
                let news = inbox
                inbox = Inbox()
                return news
            }
            for adoption in news.adoptions { writer.connect(adoption, driver: self) }
            for topic in news.advanced { writer.topicHasAdvanced(topic) }
            for token in news.ended { writer.subscriptionHasEnded(token: token) }
            for token in news.ready { writer.ready.append(token) }
            if news.isDrained { writer.pumpAll() }
            if let bound = news.finishBound { deadline = time.monotonic() + bound }
            if writer.hasWork {
                let end = time.monotonic() + configuration.turn
                writer.serve { time.monotonic() < end }
            }
            let now = time.monotonic()
            if now >= nextSweep {
                writer.beginSweep()
                nextSweep = now + configuration.sweepInterval
            }
            writer.sweep()
            publish(writer.counters, departures: open + news.adoptions.count - writer.counters.connections)
            if let deadline, writer.isEmpty || now >= deadline { break }
        }
        writer.disconnectAll()
        published.withLock { $0 = writer.counters }
        for adoption in inbox.withLock({ $0.adoptions }) {
            close(adoption.descriptor)
            hub.detach(adoption.subscription.handle)
            adoption.peerLeft?()
        }
    }

    private func publish(_ counters: FanOutCounters, departures: Int) {
        published.withLock { $0 = counters }
        adopted.subtract(departures, ordering: .relaxed)
    }

    private func milliseconds(until time: Duration) -> Int32 {
        let remaining = time - self.time.monotonic()
        return Int32(clamping: max(0, Int((remaining / .milliseconds(1)).rounded(.up))))
    }
}

extension FanOutLoop: SubscriptionDriver {
    func topicAdvanced(_ topic: Topic) { post { $0.advanced.insert(topic) } }
    func subscriptionEnded(token: UInt64) { post { $0.ended.append(token) } }
    func subscriptionReady(token: UInt64) { post { $0.ready.append(token) } }
    func hubDrained() { post { $0.isDrained = true } }
}
