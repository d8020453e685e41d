public import Primitives

/// The answer to a start.
public struct StartReceipt: Sendable, Hashable {
    public enum Disposition: String, Sendable, Hashable {
        /// A new job with its first run.
        case created
        /// A new run that is current.
        case started
        /// A new run behind the current one.
        case queued
        /// No new run: the one under way.
        case joined
        /// The job existed and is the same; its current run.
        case unchanged
    }

    public let disposition: Disposition
    public let jobID: UniqueID
    public let kind: String
    public let runID: UniqueID
    public let ordinal: Int
    /// As it was when the answer was given.
    public let state: RunState
    /// The run that was superseded.
    public let replaces: UniqueID?
    /// This is the first answer to an idempotency key, given again.
    public internal(set) var isReplay = false

    public init(
        disposition: Disposition, jobID: UniqueID, kind: String, runID: UniqueID, ordinal: Int, state: RunState,
        replaces: UniqueID?
    ) {
        (self.disposition, self.jobID, self.kind, self.runID) = (disposition, jobID, kind, runID)
        (self.ordinal, self.state, self.replaces) = (ordinal, state, replaces)
    }

    /// Whether the request made a new run.
    public var started: Bool {
        switch disposition {
        case .created, .started, .queued: true
        case .joined, .unchanged: false
        }
    }
}

/// The answer to a cancel.
public struct CancelReceipt: Sendable, Hashable {
    public enum Disposition: String, Sendable, Hashable {
        /// The run was asked to stop, now or before; its terminal event will follow.
        case requested
        /// The run is over because of this cancel.
        case ended
        /// The run was over before.
        case unchanged
    }

    public let disposition: Disposition
    public let jobID: UniqueID
    public let runID: UniqueID
    public let ordinal: Int
    public let state: RunState

    /// False when the run was over before.
    public var applied: Bool { disposition != .unchanged }
}
