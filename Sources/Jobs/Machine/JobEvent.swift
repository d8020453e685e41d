public import Primitives

/// One thing that happened to a run, in the order in which it was decided.
///
/// `seq` counts 1, 2, ... within the run without a hole, so `ordinal` and `seq` together name the event within its job.
/// Each run has exactly one terminal event (`succeeded`, `failed`, `cancelled`, `timedOut`, `lost`), followed by `end`.
public struct JobEvent: Sendable, Hashable {
    public enum Payload: Sendable, Hashable {
        /// Also, again, when a run that was interrupted has to start anew.
        case queued
        case started
        case progress(RunProgress)
        case cancelRequested(CancelReason)
        case cancelled(CancelReason)
        case succeeded(JSONValue)
        case failed(RunProblem)
        case timedOut
        /// With the reason, in words.
        case lost(String)
        /// Nothing follows.
        case end
    }

    public let jobID: UniqueID
    public let runID: UniqueID
    /// The run's number within its job, from 1.
    public let ordinal: Int
    public let seq: Int
    public let time: Timestamp
    public let payload: Payload

    public init(jobID: UniqueID, runID: UniqueID, ordinal: Int, seq: Int, time: Timestamp, payload: Payload) {
        (self.jobID, self.runID, self.ordinal) = (jobID, runID, ordinal)
        (self.seq, self.time, self.payload) = (seq, time, payload)
    }
}
