public import Primitives

/// A kind of work that jobs can do.
///
/// Threading: `run` is executed on the threads of a ``WorkerPool``, several runs at once. Between chunks of about a
/// millisecond it calls ``RunContext/pause()``, so that runs share the threads fairly.
public protocol Computation: Sendable {
    /// What `validate` makes of an input.
    associatedtype Work: Sendable

    /// The kind's name: `[a-z0-9-]+`.
    var kind: String { get }
    var title: String { get }
    var summary: String { get }
    /// A JSON Schema (draft 2020-12) of the input.
    var inputSchema: JSONValue { get }
    /// Whether a run that was interrupted because the server stopped or died waits in the queue again, and starts from
    /// the beginning when the server is back, instead of ending as `lost` or `cancelled`. Only for work that has no
    /// effects elsewhere, since it may be done twice. Counts where the store is durable. Default false.
    var restartsAfterInterruption: Bool { get }

    /// Called before a run is made, on the caller's thread; must be quick.
    func validate(_ input: JSONValue) throws(InputError) -> Work

    /// Computes the result. When the run is cancelled, `context` says so: throw `CancellationError` soon. Any other
    /// error makes the run `failed`; a ``RunFailure`` chooses the code and the message. A result that arrives after
    /// the cancel is refused, so nothing but time is lost by a late look.
    func run(_ work: Work, _ context: RunContext) async throws -> JSONValue
}

extension Computation {
    public var restartsAfterInterruption: Bool { false }
}

/// An input that a computation refuses.
public struct InputError: Error, Sendable, Hashable {
    /// The member that is wrong; empty for the input as a whole.
    public let field: String
    /// What is expected.
    public let message: String

    public init(field: String, message: String) {
        self.field = field
        self.message = message
    }
}

/// Thrown by a computation to fail with a code of its own.
public struct RunFailure: Error, Sendable, Hashable {
    public let problem: RunProblem

    public init(code: String, message: String) {
        problem = RunProblem(code: code, message: message)
    }
}
