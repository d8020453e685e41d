/// Why the store could not do what it was asked to. Nothing of it was done.
public struct StoreError: Error, Sendable, Hashable {
    public enum Code: Sendable, Hashable {
        /// Another process uses the directory; its ID, if it told.
        case inUse(processID: Int32?)
        /// The system does not let us read or write what is there.
        case notPermitted
        /// What is there is damaged, or no database.
        case corrupt
        /// A database, but of another program.
        case foreign
        /// Of a newer version of this program, with this version of the schema.
        case newer(schemaVersion: Int)
        /// No room is left: on the disk, or within the bound on the store's size.
        case full
        /// The file system is read-only.
        case readOnly
        /// Reading or writing failed.
        case ioFailed
        /// More waits to be recorded than ``StoreLimits`` allows.
        case tooManyPending
        /// The store was closed.
        case closed
        /// What was to be imported is not what ``Store`` exports, or there is something already.
        case notImportable
        case other
    }

    public let code: Code
    /// One line for people: what is wrong, and what to do.
    public let message: String
    /// What the layer below said.
    public let underlying: String?

    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        (self.code, self.message, self.underlying) = (code, message, underlying)
    }

    /// There is no room, on the disk or for more that waits; as opposed to what is broken or not allowed.
    public var isFull: Bool { code == .full || code == .tooManyPending }
}

extension StoreError: CustomStringConvertible {
    public var description: String { underlying.map { "\(message) [\($0)]" } ?? message }
}
