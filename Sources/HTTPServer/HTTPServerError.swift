import Glibc

/// Why the server could not start.
public struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// Another socket listens on this port.
        case portInUse
        /// The host is no address of this machine, or its name does not resolve.
        case badHost
        /// The port needs a privilege that the process lacks.
        case permissionDenied
        /// A configured value lies outside its range.
        case badConfiguration
        /// The kernel or libmicrohttpd refused for another reason; see `detail`.
        case startFailed
        /// `start()` was called twice.
        case alreadyStarted
    }

    public let code: Code
    /// One sentence that names the value at fault.
    public let detail: String

    public var description: String { detail }

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The failure of a system call about `subject`, by its `errno`.
    init(errno number: Int32, _ subject: String) {
        let code: Code =
            switch number {
            case EADDRINUSE: .portInUse
            case EADDRNOTAVAIL, EAFNOSUPPORT: .badHost
            case EACCES, EPERM: .permissionDenied
            default: .startFailed
            }
        self.init(code, "\(subject): \(unsafe String(cString: strerror(number)))")
    }
}
