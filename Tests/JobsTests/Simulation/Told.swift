import Jobs
import Primitives

/// What a sink is told.
enum Told: Hashable {
    case event(JobEvent)
    case current(UniqueID, ordinal: Int)
    case runEvicted(UniqueID, UniqueID)
    case jobEvicted(UniqueID, [UniqueID])

    /// What has to be told of a change that is recorded.
    init?(_ change: JobRecordChange) {
        switch change {
        case .eventAppended(let event): self = .event(event)
        case .currentRunChanged(let jobID, _, let ordinal): self = .current(jobID, ordinal: ordinal)
        case .runEvicted(let jobID, let runID): self = .runEvicted(jobID, runID)
        case .jobEvicted(let jobID, let runIDs): self = .jobEvicted(jobID, runIDs)
        case .jobCreated, .runChanged, .versionChanged, .keyRemembered: return nil
        }
    }
}

/// A sink that keeps what it is told, and looks whether it is recorded by then.
final class TellingRecorder: JobEventSink {
    private let told = Locked<[Told]>([])
    private let early = Locked<[JobEvent]>([])
    private let lastRecordedSeq: @Sendable (UniqueID) -> Int

    init(lastRecordedSeq: @escaping @Sendable (UniqueID) -> Int) { self.lastRecordedSeq = lastRecordedSeq }

    /// Since the last look.
    func takeTold() -> [Told] {
        told.withLock { told in
            defer { told = [] }; return told
        }
    }
    /// Events that were told before they were recorded.
    var toldEarly: [JobEvent] { early.withLock { $0 } }

    func emit(_ event: JobEvent) {
        if lastRecordedSeq(event.runID) < event.seq { early.withLock { $0.append(event) } }
        note(.event(event))
    }
    func currentRunChanged(jobID: UniqueID, ordinal: Int) { note(.current(jobID, ordinal: ordinal)) }
    func runEvicted(jobID: UniqueID, runID: UniqueID) { note(.runEvicted(jobID, runID)) }
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) { note(.jobEvicted(jobID, runIDs)) }

    private func note(_ told: Told) { self.told.withLock { $0.append(told) } }
}
