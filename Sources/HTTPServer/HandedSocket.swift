import Glibc

/// A connected, non-blocking TCP socket that has left the server, its request read and nothing sent yet.
///
/// Closed when it goes out of scope, unless `take()` was called. The server's bounds and timeouts no
/// longer cover it. It has TCP_NODELAY and the configured SO_SNDBUF and TCP_NOTSENT_LOWAT.
///
/// What the client sends now stays unread in the kernel; closing a socket with unread bytes resets
/// the connection, so read and discard them if the last bytes of the stream matter.
public struct HandedSocket: ~Copyable, Sendable {
    /// Owned by this value.
    public let descriptor: Int32

    /// True for HTTP/1.1 and later minor versions: the body must be chunked (RFC 9112, section 7.1).
    /// Otherwise the body is plain bytes until the socket closes.
    public let isChunked: Bool

    /// Takes over a connected, non-blocking socket of the caller's.
    public init(adopting descriptor: Int32, isChunked: Bool) {
        self.descriptor = descriptor
        self.isChunked = isChunked
    }

    /// Gives the descriptor to the caller, who closes it.
    public consuming func take() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    deinit {
        close(descriptor)
    }
}
