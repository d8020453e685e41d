public import Primitives

/// A client's wish to have work done.
public struct StartRequest: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        /// A new job. Without an ID of the client's it gets one that sorts by time. With one, repeating the request
        /// is harmless, and a different request under the same ID is refused.
        case newJob(id: UniqueID? = nil, kind: String, input: JSONValue)
        /// A new run of a job; without an input of its own it gets the job's.
        case existingJob(UniqueID, input: JSONValue? = nil, onConflict: ConflictPolicy = .reject)
    }

    public var target: Target
    /// The time limit of the run, counted from when it starts to run. Nil: the job's, or none.
    public var timeout: Duration?
    public var idempotencyKey: IdempotencyKey?

    public init(_ target: Target, timeout: Duration? = nil, idempotencyKey: IdempotencyKey? = nil) {
        self.target = target
        self.timeout = timeout
        self.idempotencyKey = idempotencyKey
    }
}

/// Makes a start safe to repeat: the same key and fingerprint get the first answer again.
public struct IdempotencyKey: Sendable, Hashable {
    public var key: String
    /// Stands for the whole request (method, route, body); kept, so make it short.
    public var fingerprint: String

    public init(_ key: String, fingerprint: String) {
        self.key = key
        self.fingerprint = fingerprint
    }
}
