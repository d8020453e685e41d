public import Primitives

/// Where jobs are recorded before anyone is told.
///
/// Threading: called by the ``JobEngine`` from its own thread only, one call at a time. The call may block.
public protocol JobStore: Sendable {
    /// Records all of the changes or none of them, in their order.
    func commit(_ changes: [JobRecordChange]) throws(JobStoreError)
}

/// One step of what has to be recorded.
public enum JobRecordChange: Sendable, Hashable {
    /// A new job; its first run follows.
    case jobCreated(Job)
    /// The run, new or changed, as it is now.
    case runChanged(jobID: UniqueID, Run)
    case currentRunChanged(jobID: UniqueID, runID: UniqueID)
    case eventAppended(JobEvent)
    case runEvicted(jobID: UniqueID, runID: UniqueID)
    case jobEvicted(UniqueID)
    case keyRemembered(IdempotencyKey, StartReceipt, at: Timestamp)
}

/// A commit that failed: nothing of it is recorded.
public struct JobStoreError: Error, Sendable, Hashable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }
}

/// Records nothing: what the engine itself keeps is all there is, and ends with the process.
public struct VolatileJobStore: JobStore {
    public init() {}
    public func commit(_ changes: [JobRecordChange]) throws(JobStoreError) {}
}
