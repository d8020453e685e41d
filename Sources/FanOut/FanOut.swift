public import Hub
public import Primitives

/// Writes to sockets what a hub publishes: each connection is one subscription.
///
/// Threading: every method may be called from any thread and returns at once, but for ``stop(within:)``.
public final class FanOut: Sendable {
    private let loops: [FanOutLoop]

    /// Starts the threads.
    public init(hub: Hub, configuration: FanOutConfiguration = .init(), time: TimeSource = .system) {
        precondition(configuration.threads > 0, "somebody has to write")
        loops = (1...configuration.threads).map { number in
            FanOutLoop(hub: hub, configuration: configuration, time: time, name: "fan-out-\(number)")
        }
    }

    /// Takes over a connected socket, and delivers a subscription on it.
    ///
    /// When the peer leaves, or the subscription ends, the socket is closed and the subscription detached.
    /// - Parameters:
    ///   - descriptor: owned by the fan-out from here on.
    ///   - head: written before everything else, together with what is there to deliver.
    ///   - isChunked: whether the body has chunked framing, or ends with the connection.
    ///   - isGzipped: whether the body is to be in the content coding gzip. Each event is compressed once for all
    ///     connections, and none refers to another, so that no event's size tells of another's content.
    ///   - greeting: delivered before everything else.
    ///   - peerLeft: called, on a thread of the fan-out, when the connection was lost before the subscription had
    ///     ended. It must not block.
    public func adopt(
        descriptor: Int32, head: Frame, isChunked: Bool, isGzipped: Bool = false, subscription: Subscription,
        greeting: Frame?, peerLeft: (@Sendable () -> Void)? = nil
    ) {
        let quietest = loops.min { $0.connectionCount < $1.connectionCount }!
        quietest.adopt(
            Adoption(
                descriptor: descriptor, head: head, isChunked: isChunked, isGzipped: isGzipped,
                subscription: subscription, greeting: greeting, peerLeft: peerLeft))
    }

    /// Of all threads together, each as of the end of its last turn.
    public var counters: FanOutCounters { loops.reduce(FanOutCounters()) { $0 + $1.counters } }

    /// Waits until every connection has ended, then ends the threads. Drain the hub first.
    /// - Parameter bound: connections that are still open after this are cut.
    public func stop(within bound: Duration) {
        for loop in loops { loop.finish(within: bound) }
        for loop in loops { loop.join() }
    }
}
