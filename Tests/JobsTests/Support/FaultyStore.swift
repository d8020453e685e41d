import Jobs
import Primitives

/// A store that keeps what was committed and fails when told to.
final class FaultyStore: JobStore {
    private struct State {
        var commits: [[JobRecordChange]] = []
        var isFailing = false
        var beforeCommit: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    var commits: [[JobRecordChange]] { state.withLock { $0.commits } }
    var isFailing: Bool {
        get { state.withLock { $0.isFailing } }
        set { state.withLock { $0.isFailing = newValue } }
    }

    /// Called on the engine's thread. Nil ends it; what it captures is kept until then.
    func beforeCommit(_ body: (@Sendable () -> Void)?) { state.withLock { $0.beforeCommit = body } }

    var isDurable: Bool { false }

    func commit(_ changes: [JobRecordChange], telling tell: () -> Void) throws(JobStoreError) {
        state.withLock { $0.beforeCommit }?()
        let isFailing = state.withLock { state in
            if !state.isFailing { state.commits.append(changes) }
            return state.isFailing
        }
        if isFailing { throw JobStoreError("the disk is full") }
        tell()
    }
}
