public import Primitives

extension Hub {
    /// A subscription for a consumer in this process: a stream of its own, to be read by one task.
    ///
    /// The stream buffers nothing: each `next()` takes what is due at that moment, under `latest` the newest event.
    /// Cancelling the task that waits in `next()`, ``cancel(id:)`` with the returned id, and letting go of the
    /// stream each end this subscription and no other. A stream that has ended stays ended: a restart is a new
    /// subscription. An event named `gap` stands for events that can't be had any more.
    public func events(
        _ request: SubscriptionRequest
    ) throws(HubError) -> (id: UniqueID, events: AsyncStream<StreamEvent>) {
        let subscription = try subscribe(request)
        let consumer = InProcessConsumer(hub: self, subscription: subscription)
        attach(subscription, to: consumer)
        let lifetime = Lifetime(of: consumer)
        let stream = AsyncStream<StreamEvent>(
            unfolding: { await lifetime.consumer.next() }, onCancel: { lifetime.consumer.end() })
        return (subscription.id, stream)
    }
}

/// Ends the subscription when the stream that owns this is let go: the hub itself holds the consumer.
private final class Lifetime: Sendable {
    let consumer: InProcessConsumer
    init(of consumer: InProcessConsumer) { self.consumer = consumer }
    deinit { consumer.end() }
}

private final class InProcessConsumer: SubscriptionDriver {
    private struct State {
        var hasNews = true
        var isOver = false
        /// Taken together with the event that was returned last: a gap and what follows it.
        var taken: [StreamEvent] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let hub: Hub
    private let subscription: Subscription
    private let state = Locked(State())

    init(hub: Hub, subscription: Subscription) {
        self.hub = hub
        self.subscription = subscription
    }

    func topicAdvanced(_ topic: Topic) { wake() }
    func subscriptionEnded(token: UInt64) { wake() }
    func hubDrained() { wake() }

    func next() async -> StreamEvent? {
        while true {
            if let event = state.withLock({ $0.taken.isEmpty ? nil : $0.taken.removeFirst() }) { return event }
            guard !state.withLock({ $0.isOver }), !Task.isCancelled else { return nil }
            state.withLock { $0.hasNews = false }
            let delivery = hub.take(subscription, maxBytes: 1)
            let events = delivery.frames.flatMap(StreamEvent.events(in:)).filter { $0.name != "end" }
            state.withLock { $0.taken = events }
            if delivery.isLast {
                hub.detach(subscription)
                state.withLock { $0.isOver = true }
            }
            if events.isEmpty && !delivery.isLast { await waitForNews() }
        }
    }

    /// The consumer gets nothing more, not even what was taken for it.
    func end() {
        hub.detach(subscription)
        state.withLock {
            $0.isOver = true
            $0.taken = []
        }
        wake()
    }

    private func wake() {
        let waiter = state.withLock { state in
            state.hasNews = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    private func waitForNews() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDue = state.withLock { state in
                if state.hasNews || state.isOver { return true }
                state.waiter = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
