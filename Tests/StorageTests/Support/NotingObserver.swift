import Primitives
import Storage

/// Notes what retention tells, and answers as the test wants.
final class NotingObserver: RetentionObserver {
    private struct State {
        var evicted: [String: UInt64] = [:]
        var removed: [String] = []
        var isFollowed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    var evicted: [String: UInt64] { state.withLock { $0.evicted } }
    var removed: [String] { state.withLock { $0.removed } }
    var isFollowed: Bool {
        get { state.withLock { $0.isFollowed } }
        set { state.withLock { $0.isFollowed = newValue } }
    }

    func evicted(from topic: String, through position: UInt64) {
        let waiters = state.withLock { state in
            state.evicted[topic] = position
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func remove(topic: String) -> Bool {
        state.withLock { state in
            if !state.isFollowed { state.removed.append(topic) }
            return !state.isFollowed
        }
    }

    /// Returns when something is evicted from now on, or was before.
    func waitForEviction() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if !state.evicted.isEmpty { return true }
                state.waiters.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
