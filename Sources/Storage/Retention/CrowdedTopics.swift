import Primitives

/// Which topics are beyond their bounds, gathered from commits.
///
/// Threading: any thread.
final class CrowdedTopics: Sendable {
    private struct State {
        var keys: Set<Int64> = []
        /// Recorded since the last sweep.
        var newBytes = 0
    }

    private let policy: StoreRetention
    private let state = Locked(State())

    init(_ policy: StoreRetention) { self.policy = policy }

    /// - Returns: whether something is so far beyond its bound that it should not wait for the next sweep.
    func add(_ commit: CommitReport) -> Bool {
        let crowded = commit.topics.filter {
            $0.events > policy.maxEvents || $0.bytes > policy.maxBytes && $0.events > 1
        }
        let isUrgent = crowded.contains {
            $0.events - policy.maxEvents > policy.maxEvents / 16
                || $0.bytes - policy.maxBytes > policy.maxBytes / 16
        }
        return state.withLock { state in
            state.newBytes += commit.newBytes
            for topic in crowded { state.keys.insert(topic.key) }
            return isUrgent || state.newBytes > policy.maxTotalBytes / 16
        }
    }

    func insert(_ keys: [Int64]) { state.withLock { $0.keys.formUnion(keys) } }

    /// Takes what was gathered since the last time.
    func takeAll() -> Set<Int64> {
        state.withLock { state in
            defer { state = State() }
            return state.keys
        }
    }
}
