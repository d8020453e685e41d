public import Primitives

/// The state machine of one job and its runs.
///
/// A value: no lock, no clock, no I/O. Each verb takes the time as an argument and returns the actions that the
/// caller must take once the new state is recorded; to give up a change, keep the old value.
///
/// The acceptance rule: a run's result and progress are accepted only while it is the current run and `running`.
/// Of a run that is no longer current, nothing but its terminal event (never `succeeded`) and `end` is emitted.
/// Ordinals are compared to tell older from newer: runs behind the current one have greater ordinals.
public struct Job: Sendable, Hashable {
    public let id: UniqueID
    public let kind: String
    /// What a run gets that brings no input of its own.
    public let input: JSONValue
    /// The time limit of a run that brings none of its own.
    public let timeout: Duration?
    public let createdAt: Timestamp
    /// Ascending ordinals. Old terminal runs are dropped: see ``JobLimits/maxRunsPerJob``.
    public internal(set) var runs: [Run] = []
    /// Nil only before the first start.
    public internal(set) var currentRunID: UniqueID?
    var lastOrdinal = 0
    private let inputBytes: Int

    public init(id: UniqueID, kind: String, input: JSONValue, timeout: Duration?, createdAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.input = input
        inputBytes = input.text.count
        self.timeout = timeout
        self.createdAt = createdAt
    }

    /// A job as it was recorded.
    /// - Parameters:
    ///   - runs: in ascending order of their ordinals.
    ///   - lastOrdinal: the greatest that was ever given to a run of it.
    public init(
        id: UniqueID, kind: String, input: JSONValue, timeout: Duration?, createdAt: Timestamp, runs: [Run],
        currentRunID: UniqueID?, lastOrdinal: Int
    ) {
        self.init(id: id, kind: kind, input: input, timeout: timeout, createdAt: createdAt)
        (self.runs, self.currentRunID, self.lastOrdinal) = (runs, currentRunID, lastOrdinal)
    }

    public var currentRun: Run? { currentIndex.map { runs[$0] } }

    /// The current run is over and none waits behind it.
    public var isTerminal: Bool { currentRun?.state.isTerminal ?? false }

    /// Every one of its runs is over, older ones whose workers were slow to stop included.
    var isSettled: Bool { runs.allSatisfy(\.state.isTerminal) }

    /// When its last run was over; nil while it is not settled.
    var settledAt: Timestamp? { isSettled ? runs.compactMap(\.finishedAt).max() : nil }

    /// What it takes to keep it, with its runs: see ``JobLimits/maxBytes``.
    var bytes: Int { runs.reduce(inputBytes) { $0 + $1.bytes } }

    public func run(_ id: UniqueID) -> Run? { index(of: id).map { runs[$0] } }

    /// How many of its runs are `queued`, current or behind.
    public var queuedRunCount: Int { runs.count { $0.state == .queued } }

    var currentIndex: Int? { currentRunID.flatMap(index(of:)) }

    // From the end: the runs that verbs speak of are the newest.
    func index(of runID: UniqueID) -> Int? { runs.lastIndex { $0.id == runID } }

    /// Behind the current run, in the order in which they will get their turn.
    var indicesQueuedBehind: [Int] {
        guard let currentIndex else { return [] }
        return runs.indices.filter { $0 > currentIndex && runs[$0].state == .queued }
    }

    mutating func emit(_ payload: JobEvent.Payload, at index: Int, _ time: Timestamp) -> JobAction {
        runs[index].event(payload, of: id, at: time)
    }
}
