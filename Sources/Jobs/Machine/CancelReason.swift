/// Why a run was asked to stop.
public struct CancelReason: Sendable, Hashable {
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// Somebody asked for it.
        case user
        /// A newer run of the job replaced it.
        case superseded
        case timeout
        /// The server stops.
        case shutdown
        /// The client that wanted it only while connected has left.
        case disconnected
    }

    public let cause: Cause
    /// The asker's own words, passed on to whoever watches.
    public let note: String?

    public init(_ cause: Cause, note: String? = nil) {
        self.cause = cause
        self.note = note
    }

    public static let user = CancelReason(.user)
    public static let superseded = CancelReason(.superseded)
    public static let timeout = CancelReason(.timeout)
    public static let shutdown = CancelReason(.shutdown)
    public static let disconnected = CancelReason(.disconnected)
}
