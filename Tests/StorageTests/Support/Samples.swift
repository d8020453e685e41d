import Hub
import Jobs
import Primitives
import Storage
import TestSupport

extension NewEvent {
    static func text(_ text: String, id: String? = nil, tag: UInt32 = 0) -> NewEvent {
        do { return try NewEvent(data: text.utf8, isJSON: false, id: id, withdrawalTag: tag) } catch {
            preconditionFailure("\(error)")
        }
    }
}

extension UniqueID {
    static func job(_ number: Int) -> UniqueID { UniqueID(high: 0x1111, low: UInt64(number)) }
    static func run(_ number: Int) -> UniqueID { UniqueID(high: 0x2222, low: UInt64(number)) }
}

extension Job {
    static func sample(_ number: Int, input: JSONValue = ["terms": 5]) -> Job {
        Job(
            id: .job(number), kind: "sum", input: input, timeout: .milliseconds(1_500),
            createdAt: Timestamp(millisecondsSinceEpoch: 1_700_000_000_123))
    }
}

extension Run {
    static func sample(
        _ number: Int, ordinal: Int, _ state: RunState, input: JSONValue = ["terms": 5], result: JSONValue? = nil,
        lastSeq: Int = 1
    ) -> Run {
        Run(
            id: .run(number), ordinal: ordinal, input: input,
            timeout: Duration(secondsComponent: 3, attosecondsComponent: 1),
            createdAt: Timestamp(millisecondsSinceEpoch: 1_700_000_000_124), state: state,
            cancelReason: state == .cancelling ? CancelReason(.user, note: "enough \u{0}\"") : nil,
            progress: state == .queued ? nil : RunProgress(current: 1, total: 10, unit: "terms", message: "…"),
            result: result, problem: state == .failed ? RunProblem(code: "x", message: "y") : nil, startedAt: nil,
            finishedAt: nil, lastSeq: lastSeq)
    }
}

/// A store whose times do not move by themselves. It keeps the folder for as long as it lives.
func open(
    _ folder: Folder, _ clock: ManualClock = ManualClock(), durability: Durability = .full,
    _ adjust: (inout StoreLimits) -> Void = { _ in }
) throws(StoreError) -> Store {
    var limits = StoreLimits()
    adjust(&limits)
    let source = clock.timeSource
    let time = TimeSource(
        monotonic: source.monotonic, wall: { withExtendedLifetime(folder) { source.wall() } })
    return try Store(DataDirectory(folder.path), durability: durability, limits: limits, time: time)
}
