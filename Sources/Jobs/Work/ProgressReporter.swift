import Primitives

/// Thins the progress reports of one run: at most one in `interval` gets through, the newest wins, and the last one
/// stays at hand for the end of the run.
///
/// Reports that go back are dropped, so that several threads may report. Two that get through at the same time may
/// change places on the way; the job refuses the older one.
final class ProgressReporter: Sendable {
    private struct State {
        var newest: RunProgress?
        var isPending = false
        var sentAt: Duration?
    }

    private let state = Locked(State())
    private let interval: Duration
    private let now: @Sendable () -> Duration
    private let send: @Sendable (RunProgress) -> Void

    init(
        interval: Duration, now: @escaping @Sendable () -> Duration,
        send: @escaping @Sendable (RunProgress) -> Void
    ) {
        self.interval = interval
        self.now = now
        self.send = send
    }

    func report(_ progress: RunProgress) {
        let now = now()
        let isDue = state.withLock { state in
            if let newest = state.newest, progress.current < newest.current { return false }
            state.newest = progress
            if let sentAt = state.sentAt, now - sentAt < interval {
                state.isPending = true
                return false
            }
            state.sentAt = now
            state.isPending = false
            return true
        }
        if isDue { send(progress) }
    }

    /// The newest report, if it has not got through.
    func takePending() -> RunProgress? {
        state.withLock { state in
            guard state.isPending else { return nil }
            state.isPending = false
            return state.newest
        }
    }
}
