/// The head of a stream without an announced length, and who takes over behind it.
///
/// Exactly one of `taken` and `abandoned` is called, exactly once, on a thread of the server: neither
/// may block. `Connection: close` is added to the headers; after a stream nothing can follow.
public struct StreamHead: Sendable {
    /// 200...599, but not 204 or 304, which have no body.
    public let status: Int
    public let headers: Headers

    /// The receiver of the socket writes the response head, which is the second argument, and behind it the body;
    /// the first of it in the same write, if there is something.
    public let taken: @Sendable (consuming HandedSocket, _ head: [UInt8]) -> Void

    /// There is no socket: the client left first, the request was HEAD, the server is stopping or
    /// the process has run out of descriptors.
    public let abandoned: @Sendable () -> Void

    public init(
        status: Int = 200, headers: Headers,
        taken: @escaping @Sendable (consuming HandedSocket, _ head: [UInt8]) -> Void,
        abandoned: @escaping @Sendable () -> Void
    ) {
        self.status = status
        self.headers = headers
        self.taken = taken
        self.abandoned = abandoned
    }
}
