public import Hub
public import Primitives

/// A shared ticker: counts 1...1000 and round again, and publishes each number with its square.
///
/// `n` counts the firings that were processed, not elapsed time: a firing that comes late is one firing.
/// The ticker knows nothing of who listens. Stopping it ends every subscription of its topic; starting it again
/// begins a new count for new subscriptions.
public actor Ticker {
    /// The `event:` name of each firing.
    public static let eventName = "tick"
    /// After this number comes 1 again.
    public static let highest = 1_000

    private let hub: Hub
    private let topic: Topic
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let time: TimeSource
    private var run: Task<Void, Never>?

    /// - Parameters:
    ///   - interval: between firings; positive.
    ///   - clock: what the ticker waits with; `time` must read the same clock.
    public init(
        hub: Hub, topic: Topic, interval: Duration, clock: any Clock<Duration> = ContinuousClock(),
        time: TimeSource = .system
    ) {
        precondition(interval > .zero, "an interval is positive")
        self.hub = hub
        self.topic = topic
        self.interval = interval
        self.clock = clock
        self.time = time
    }

    /// - Returns: false when it was running already: nothing has changed.
    @discardableResult
    public func start() -> Bool {
        guard run == nil else { return false }
        hub.start(topic)
        let schedule = TickSchedule(interval: interval, start: time.monotonic())
        run = Task { await tick(on: schedule) }
        return true
    }

    /// Ends the firings and every subscription of the topic. A firing that was due is not published any more.
    /// - Returns: false when it was not running: nothing has changed.
    @discardableResult
    public func stop() -> Bool {
        guard let run else { return false }
        run.cancel()
        self.run = nil
        hub.stop(topic)
        return true
    }

    /// Ends the firings for good and leaves the subscriptions to whoever ends them: a server that stops.
    public func retire() {
        run?.cancel()
        run = nil
    }

    private func tick(on schedule: TickSchedule) async {
        var schedule = schedule
        var number = 0
        while true {
            do { try await clock.sleep(for: schedule.due - time.monotonic()) } catch { return }
            // A stop may have come between the wake-up and this line.
            guard !Task.isCancelled else { return }
            schedule.fired(at: time.monotonic())
            number = number == Self.highest ? 1 : number + 1
            publish(number)
        }
    }

    private func publish(_ number: Int) {
        let data = "{\"n\":\(number),\"square\":\(number * number)}"
        guard let event = try? NewEvent(name: Self.eventName, data: data.utf8) else {
            preconditionFailure("the name is valid")
        }
        hub.publish(event, to: topic)
    }
}
