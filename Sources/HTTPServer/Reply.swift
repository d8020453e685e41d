/// How a request is to be answered.
public enum Reply: Sendable {
    /// At once, on the server's thread. The cheap way: must not block or compute for long, since all
    /// connections of that thread wait.
    case now(Response)

    /// From a task of its own. The connection is set aside meanwhile; the server notices only after
    /// the answer that the client has gone. Cancelled when the server stops: the client then has a
    /// 503 already, and what the closure returns is dropped.
    case later(@Sendable () async -> FinalReply)

    /// By a call, on any thread, at once or later: for what has to wait but needs no task. The closure is called on the
    /// server's thread and must not block; what it is given must be called in the end. Only the first call counts, and
    /// none after the server's stop: the client has a 503 then. Else as ``later``.
    case byCall(@Sendable (_ answer: @escaping @Sendable (FinalReply) -> Void) -> Void)

    /// The head of a stream, after which the socket is handed over.
    case stream(StreamHead)
}

/// What a request comes to in the end.
public enum FinalReply: Sendable {
    case response(Response)
    case stream(StreamHead)
}
