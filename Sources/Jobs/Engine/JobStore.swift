public import Primitives

/// Where jobs are recorded before anyone is told.
///
/// Threading: called by the ``JobEngine`` from its own thread only, one call at a time. A call may block.
public protocol JobStore: Sendable {
    /// Whether what was recorded is there again after the process has ended: then a stop leaves queued runs queued.
    var isDurable: Bool { get }

    /// Records all of the changes or none of them, in their order. If they are recorded, calls `tell` once, on this
    /// thread, before anything that is recorded later is told to anyone.
    func commit(_ changes: [JobRecordChange], telling tell: () -> Void) throws(JobStoreError)
}

/// One step of what has to be recorded.
public enum JobRecordChange: Sendable, Hashable {
    /// A new job without a run; its first run, which is its current one, follows.
    /// - Parameter serial: the job's place in the order of all jobs ever made; greater than any before.
    case jobCreated(Job, serial: Int)
    /// The run, new or changed, as it is now.
    case runChanged(jobID: UniqueID, Run)
    /// Runs with a lesser ordinal are overtaken; the values of those that are not over are taken back.
    case currentRunChanged(jobID: UniqueID, runID: UniqueID, ordinal: Int)
    /// The job's version after the changes so far: see ``JobSnapshot/version``.
    case versionChanged(jobID: UniqueID, Int)
    case eventAppended(JobEvent)
    case runEvicted(jobID: UniqueID, runID: UniqueID)
    /// With the runs that it still had.
    case jobEvicted(UniqueID, runIDs: [UniqueID])
    case keyRemembered(IdempotencyKey, StartReceipt, at: Timestamp)
}

/// All that a store has of jobs.
public struct JobRecords: Sendable, Hashable {
    /// In ascending order of their serials.
    public var jobs: [JobSnapshot] = []
    /// The greatest serial that was ever given; 0 when none was.
    public var lastSerial = 0
    /// With the first answers, in the order in which they were remembered.
    public var keys: [RecordedKey] = []
    /// IDs of jobs and runs that are no longer kept, in the order in which they went.
    public var tombstones: [UniqueID] = []

    public init() {}
}

/// An idempotency key, the answer it stands for, and when that was given.
public struct RecordedKey: Sendable, Hashable {
    public let key: IdempotencyKey
    public let receipt: StartReceipt
    public let time: Timestamp

    public init(_ key: IdempotencyKey, _ receipt: StartReceipt, at time: Timestamp) {
        (self.key, self.receipt, self.time) = (key, receipt, time)
    }
}

/// The store failed: nothing of what it was to record is recorded.
public struct JobStoreError: Error, Sendable, Hashable {
    /// For people: what is wrong.
    public let message: String
    /// There is no room left, as opposed to all else that can go wrong.
    public let isFull: Bool

    public init(_ message: String, isFull: Bool = false) {
        self.message = message
        self.isFull = isFull
    }
}

/// Records nothing: what the engine itself keeps is all there is, and ends with the process.
public struct VolatileJobStore: JobStore {
    public init() {}
    public var isDurable: Bool { false }
    public func commit(_ changes: [JobRecordChange], telling tell: () -> Void) throws(JobStoreError) { tell() }
}
