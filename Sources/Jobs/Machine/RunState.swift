/// Where a run stands. A terminal state is never left.
///
/// `cancelling` never becomes `succeeded`: a cancel that was recorded first wins, even if the computation had
/// already finished.
public enum RunState: String, Sendable, Hashable, CaseIterable {
    /// Waits for a worker, or behind the job's current run.
    case queued
    case running
    /// Asked to stop; its worker may still be busy. Nothing it produces is accepted any more.
    case cancelling
    case succeeded
    case failed
    case cancelled
    case timedOut
    /// The process died under it, and nobody knows how far it came.
    case lost

    public var isTerminal: Bool {
        switch self {
        case .queued, .running, .cancelling: false
        case .succeeded, .failed, .cancelled, .timedOut, .lost: true
        }
    }
}
