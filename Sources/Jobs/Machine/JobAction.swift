public import Primitives

/// What the rim has to do after a verb of a ``Job``, in the order given.
public enum JobAction: Sendable, Hashable {
    /// Tell whoever watches.
    case emit(JobEvent)
    /// The run with this ordinal is current now: values of older runs must not reach anybody who follows the job.
    case currentRunChanged(ordinal: Int)
    /// The run is current and waits for a worker.
    case enqueue(runID: UniqueID)
    /// The run waited, for a worker or behind another run, and will never start.
    case dequeue(runID: UniqueID)
    case startWorker(runID: UniqueID)
    case cancelWorker(runID: UniqueID)
    /// Call ``Job/timedOut(_:at:)`` after this time, unless disarmed.
    case armTimeout(runID: UniqueID, after: Duration)
    case disarmTimeout(runID: UniqueID)
    /// A worker's result was refused; count it, tell nobody.
    case resultRefused(runID: UniqueID, RefusalReason)
    /// A terminal run was dropped because the job keeps a bounded number.
    case runEvicted(runID: UniqueID)
}

/// What a verb answers to its caller, and what has to be done.
public struct Transition<Answer: Sendable>: Sendable {
    public let answer: Answer
    public let actions: [JobAction]

    init(_ answer: Answer, _ actions: [JobAction]) {
        self.answer = answer
        self.actions = actions
    }
}
