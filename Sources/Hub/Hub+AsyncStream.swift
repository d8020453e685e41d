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

        mutating func nextTaken() -> StreamEvent? { taken.isEmpty ? nil : taken.removeFirst() }

        /// False when there is nothing to take any more. News from here on is news after what is taken.
        mutating func beginTaking() -> Bool {
            hasNews = false
            return !isOver
        }

        /// Whoever ended the stream in the meantime had the last word.
        mutating func took(_ events: [StreamEvent], isLast: Bool) {
            guard !isOver else { return }
            taken = events
            isOver = isLast
        }
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
    func subscriptionReady(token: UInt64) { wake() }
    func hubDrained() { wake() }

    func next() async -> StreamEvent? {
        while !Task.isCancelled {
            if let event = state.withLock({ $0.nextTaken() }) { return event }
            guard state.withLock({ $0.beginTaking() }) else { return nil }
            let delivery = hub.take(subscription.handle, maxBytes: 1)
            if delivery.isLast { hub.detach(subscription.handle) }
            let events = delivery.frames.flatMap(StreamEvent.events(in:)).filter { $0.name != "end" }
            state.withLock { $0.took(events, isLast: delivery.isLast) }
            if events.isEmpty && !delivery.isLast { await waitForNews() }
        }
        return nil
    }

    /// The consumer gets nothing more, not even what was taken for it.
    func end() {
        hub.detach(subscription.handle)
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
                precondition(state.waiter == nil, "a stream is read by one task")
                if state.hasNews || state.isOver { return true }
                state.waiter = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
