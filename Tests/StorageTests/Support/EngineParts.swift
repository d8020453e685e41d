import Jobs
import Primitives
import Storage

/// Records what the engine decides as a service does, but for the texts of the events, and notes what went by.
final class TestJobStore: JobStore {
    private struct Seen {
        var keys: [RecordedKey] = []
        var evicted: [UniqueID] = []
    }

    private let store: Store
    private let seen = Locked(Seen())

    init(_ store: Store) { self.store = store }

    var keys: [RecordedKey] { seen.withLock { $0.keys } }
    var evicted: [UniqueID] { seen.withLock { $0.evicted } }
    var isDurable: Bool { false }

    func commit(_ changes: [JobRecordChange], telling tell: () -> Void) throws(JobStoreError) {
        do throws(StoreError) {
            try store.journal.record { recording throws(StoreError) in
                for change in changes { try recording.apply(change) }
            } telling: { _ in
                tell()
            }
        } catch { throw JobStoreError(error.description, isFull: error.isFull) }
        seen.withLock { seen in
            for change in changes {
                switch change {
                case .keyRemembered(let key, let receipt, let time):
                    seen.keys.append(RecordedKey(key, receipt, at: time))
                case .runEvicted(_, let id): seen.evicted.append(id)
                case .jobEvicted(let id, let runs): seen.evicted += [id] + runs
                default: break
                }
            }
        }
    }
}

struct SilentSink: JobEventSink {
    func emit(_ event: JobEvent) {}
    func currentRunChanged(jobID: UniqueID, ordinal: Int) {}
    func runEvicted(jobID: UniqueID, runID: UniqueID) {}
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {}
}

/// Ends as its input says: with a result, with an error, or only when it is cancelled.
struct MoodyComputation: Computation {
    let kind = "moody"
    let title = "Moody"
    let summary = "For tests"
    let inputSchema: JSONValue = [:]

    func validate(_ input: JSONValue) throws(InputError) -> JSONValue { input }

    func run(_ input: JSONValue, _ context: RunContext) async throws -> JSONValue {
        context.report(RunProgress(current: 1, total: 3, unit: "steps", message: "\u{1F600}"))
        switch input["mood"] {
        case .integer(0): throw RunFailure(code: "moody", message: "not today")
        case .integer(1):
            while true {
                try context.checkCancellation()
                await context.pause()
            }
        default: return ["input": input, "half": 0.5]
        }
    }
}
