/// How a request is to be answered.
public enum Reply: Sendable {
    /// At once, on the server's thread. The cheap way: must not block or compute for long, since all
    /// connections of that thread wait.
    case now(Response)

    /// From a task of its own. The connection is set aside meanwhile; the server notices only after
    /// the answer that the client has gone. Cancelled when the server stops: the client then has a
    /// 503 already, and what the closure returns is dropped.
    case later(@Sendable () async -> FinalReply)

    /// The head of a stream, after which the socket is handed over.
    case stream(StreamHead)
}

/// What a request comes to in the end.
public enum FinalReply: Sendable {
    case response(Response)
    case stream(StreamHead)
}
