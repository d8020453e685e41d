import Jobs
import Primitives

/// A store in memory, which fails when told to.
final class RecordingStore: JobStore {
    enum Verdict: Sendable, Hashable {
        case record
        case fail
        /// All is recorded, and the process ends before it could tell anyone.
        case recordAndDie
    }

    private struct State {
        var recorded = RecordedJobs()
        var commits: [[JobRecordChange]] = []
        var attempts = 0
        var isFailing = false
        var isFull = false
        var isDead = false
        var beforeCommit: (@Sendable () -> Void)?
        var verdict: (@Sendable (Int) -> Verdict)?
        var refuses: (@Sendable (JobRecordChange) -> Bool)?
    }

    let isDurable: Bool
    private let state = Locked(State())

    init(isDurable: Bool = false) { self.isDurable = isDurable }

    /// From now on nothing is recorded, as after the end of the process.
    func die() { state.withLock { $0.isDead = true } }

    /// What a process that comes after gets to see of it.
    func reopened() -> RecordingStore {
        let store = RecordingStore(isDurable: isDurable)
        store.state.withLock { $0.recorded = recorded }
        return store
    }

    /// Those that did not fail.
    var commits: [[JobRecordChange]] { state.withLock { $0.commits } }
    var recorded: RecordedJobs { state.withLock { $0.recorded } }
    /// Whether nothing more will be recorded.
    var isDead: Bool { state.withLock { $0.isDead } }
    /// How often a commit was tried.
    var attempts: Int { state.withLock { $0.attempts } }

    var isFailing: Bool {
        get { state.withLock { $0.isFailing } }
        set { state.withLock { $0.isFailing = newValue } }
    }

    /// Whether a failing commit says that there is no room.
    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// Called on the engine's thread. Nil ends it; what it captures is kept until then.
    func beforeCommit(_ body: (@Sendable () -> Void)?) { state.withLock { $0.beforeCommit = body } }

    /// What becomes of the commits, by their numbers: the first is 0. Called with the store locked.
    func decide(_ verdict: (@Sendable (Int) -> Verdict)?) { state.withLock { $0.verdict = verdict } }

    /// Commits with such a change fail, whatever else is in them. Called with the store locked.
    func refuse(_ refuses: (@Sendable (JobRecordChange) -> Bool)?) { state.withLock { $0.refuses = refuses } }

    func commit(_ changes: [JobRecordChange], telling tell: () -> Void) throws(JobStoreError) {
        state.withLock { $0.beforeCommit }?()
        let (verdict, isFull) = state.withLock { state in
            var verdict = state.isFailing || state.isDead ? .fail : state.verdict?(state.attempts) ?? .record
            if let refuses = state.refuses, changes.contains(where: refuses) { verdict = .fail }
            state.attempts += 1
            if verdict == .recordAndDie { state.isDead = true }
            if verdict != .fail {
                state.commits.append(changes)
                for change in changes { state.recorded.apply(change) }
            }
            return (verdict, state.isFull)
        }
        switch verdict {
        case .record: tell()
        case .fail: throw JobStoreError("the disk is full", isFull: isFull)
        case .recordAndDie: throw JobStoreError("the process died")
        }
    }
}
