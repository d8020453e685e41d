public import Primitives

/// One execution of a job: a value, changed only by the verbs of its ``Job``.
public struct Run: Sendable, Hashable {
    public let id: UniqueID
    /// Its number within the job: 1, 2, ...
    public let ordinal: Int
    public let input: JSONValue
    /// Counted from `running`; nil means as long as it takes.
    public let timeout: Duration?
    public let createdAt: Timestamp

    public internal(set) var state: RunState = .queued
    /// Set once it was asked to stop.
    public internal(set) var cancelReason: CancelReason?
    public internal(set) var progress: RunProgress?
    /// Only after `succeeded`.
    public internal(set) var result: JSONValue? { didSet { measureOutcome() } }
    /// Only after `failed`, or with the reason after `lost`.
    public internal(set) var problem: RunProblem? { didSet { measureOutcome() } }
    /// Of the newest start: a run that was interrupted may be queued, and start, again.
    public internal(set) var startedAt: Timestamp?
    public internal(set) var finishedAt: Timestamp?
    /// The number of its newest event; 0 before the first.
    public internal(set) var lastSeq = 0
    // Measured when they are set, since the sizes of all jobs are added up with each change.
    private let inputBytes: Int
    private var outcomeBytes = 0

    init(id: UniqueID, ordinal: Int, input: JSONValue, timeout: Duration?, createdAt: Timestamp) {
        self.id = id
        self.ordinal = ordinal
        self.input = input
        self.timeout = timeout
        self.createdAt = createdAt
        inputBytes = input.text.count
    }

    /// A run as it was recorded.
    public init(
        id: UniqueID, ordinal: Int, input: JSONValue, timeout: Duration?, createdAt: Timestamp, state: RunState,
        cancelReason: CancelReason?, progress: RunProgress?, result: JSONValue?, problem: RunProblem?,
        startedAt: Timestamp?, finishedAt: Timestamp?, lastSeq: Int
    ) {
        self.init(id: id, ordinal: ordinal, input: input, timeout: timeout, createdAt: createdAt)
        (self.state, self.cancelReason, self.progress) = (state, cancelReason, progress)
        (self.result, self.problem, self.lastSeq) = (result, problem, lastSeq)
        (self.startedAt, self.finishedAt) = (startedAt, finishedAt)
        measureOutcome()
    }

    /// What it takes to keep it: see ``JobLimits/maxBytes``.
    var bytes: Int { inputBytes + outcomeBytes }

    private mutating func measureOutcome() {
        outcomeBytes =
            (result.map(\.text.count) ?? 0) + (problem.map { $0.code.utf8.count + $0.message.utf8.count } ?? 0)
    }

    /// Whether its worker's words still count, if it is the current run.
    var accepts: Bool { state == .running }

    /// Why its worker's words do not count.
    var refusal: RefusalReason {
        switch cancelReason?.cause {
        case .user, .disconnected: .cancelled
        case .superseded: .superseded
        case .timeout: .timedOut
        case .shutdown: .shutdown
        case nil: state == .queued ? .interrupted : .terminal
        }
    }

    mutating func event(_ payload: JobEvent.Payload, of jobID: UniqueID, at time: Timestamp) -> JobAction {
        lastSeq += 1
        return .emit(
            JobEvent(
                jobID: jobID, runID: id, ordinal: ordinal, seq: lastSeq, time: time, payload: payload))
    }
}
