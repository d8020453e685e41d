public import Primitives

/// Why a verb of the ``JobEngine`` was refused. Nothing has changed then.
public struct JobError: Error, Sendable, Hashable {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case unknownKind
        /// The input's values are wrong: see ``JobError/field``.
        case invalidInput
        case invalidTimeout
        case invalidIdempotencyKey
        case unknownJob
        case unknownRun
        /// It existed, and is no longer kept.
        case gone
        /// A job with this ID exists and differs.
        case differentJob
        /// Another run is under way: see ``JobError/currentRunID``.
        case conflict
        /// The run to cancel is not the current one: see ``JobError/currentRunID``.
        case notCurrent
        /// The idempotency key was used with another request.
        case keyReused
        /// See ``JobError/retryAfter``.
        case queueFull
        /// As many jobs are kept, or as much of them, as may be, and none can be dropped.
        case tooManyJobs
        /// The store could not record it: see ``JobError/underlying``, which also tells whether it is full.
        case storeUnavailable
        case shuttingDown
    }

    public let code: Code
    /// For people: what is wrong and what to do.
    public let message: String
    /// The member of the input that is wrong.
    public var field: String?
    /// The job's current run, where the refusal is about it.
    public var currentRunID: UniqueID?
    /// How long to wait before another try; nil where the engine cannot tell.
    public var retryAfter: Duration?
    /// What the store said.
    public var underlying: JobStoreError?

    init(
        _ code: Code, _ message: String, field: String? = nil, currentRunID: UniqueID? = nil,
        retryAfter: Duration? = nil, underlying: JobStoreError? = nil
    ) {
        self.code = code
        self.message = message
        self.field = field
        self.currentRunID = currentRunID
        self.retryAfter = retryAfter
        self.underlying = underlying
    }
}

extension JobError {
    static let stopped = JobError(.shuttingDown, "The server is stopping.")

    static func unavailable(_ error: JobStoreError) -> JobError {
        JobError(
            .storeUnavailable,
            "Nothing was done, since it could not be recorded. "
                + (error.isFull ? "Make room for the store, or have it made, and try again." : "Try again later.")
                + " The store says: \(error.message)",
            underlying: error)
    }
}
