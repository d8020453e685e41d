/// The head of a stream without an announced length, and who takes over behind it.
///
/// Exactly one of `taken` and `abandoned` is called, exactly once, on a thread of the server: neither
/// may block. `Connection: close` is added to the headers; after a stream nothing can follow.
public struct StreamHead: Sendable {
    /// 200...599, but not 204 or 304, which have no body.
    public let status: Int
    public let headers: Headers

    /// The head has been written to the socket; whatever goes into it now is the body.
    public let taken: @Sendable (consuming HandedSocket) -> Void

    /// There is no socket: the client left first, the request was HEAD, the server is stopping or
    /// the process has run out of descriptors.
    public let abandoned: @Sendable () -> Void

    public init(
        status: Int = 200, headers: Headers,
        taken: @escaping @Sendable (consuming HandedSocket) -> Void,
        abandoned: @escaping @Sendable () -> Void
    ) {
        self.status = status
        self.headers = headers
        self.taken = taken
        self.abandoned = abandoned
    }
}
