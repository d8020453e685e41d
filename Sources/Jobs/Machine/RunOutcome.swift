public import Primitives

/// What went wrong in a run: a stable code for programs, a message for people.
public struct RunProblem: Sendable, Hashable {
    public let code: String
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// What a worker brings back. Whether it is accepted is the job's decision.
public enum RunOutcome: Sendable, Hashable {
    case succeeded(JSONValue)
    case failed(RunProblem)
    /// The worker gave up because it was asked to. From a run that nobody cancelled this counts as a failure.
    case stopped

    var isSuccess: Bool { if case .succeeded = self { true } else { false } }
}

/// Why an outcome or a progress report was refused.
public enum RefusalReason: String, Sendable, Hashable, CaseIterable {
    case cancelled
    case superseded
    case timedOut
    case shutdown
    /// The run was given back to the queue, to start anew in the next process.
    case interrupted
    /// The run had reached another terminal state before.
    case terminal
    /// The run, or its job, is no longer kept.
    case unknown
}
