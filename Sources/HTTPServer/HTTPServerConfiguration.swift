/// What an `HTTPServer` is told at its start. Each bound has a unit and a default.
public struct HTTPServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address of this machine, or a name that resolves to one. Default: 127.0.0.1.
    public var host = "127.0.0.1"

    /// 0...65535; 0, the default, lets the kernel choose a free one.
    public var port = 0

    /// Connections that the kernel completes before they are accepted. Default: 1024; the kernel may
    /// lower it (`net.core.somaxconn`).
    public var listenBacklog = 1_024

    /// Threads that read, parse and answer: 1...64. Default: 2.
    public var threads = 2

    /// Connections inside the server at one time, over all threads, without the handed-over sockets.
    /// At the limit further clients wait in the backlog. Default: 4,096.
    public var connectionLimit = 4_096

    /// Seconds after which a connection is closed on which nothing was received or sent; not counted
    /// while an answer is being prepared. 1...86,400. Default: 30.
    public var connectionTimeoutSeconds = 30

    /// Bytes of a request body; a longer one is refused with 413. Default: 1 MiB.
    public var maxBodyBytes = 1 << 20

    /// Bytes of a request head (request line and header fields); a longer one is refused with 431, or
    /// 414 if the target alone is too long. Each connection reserves twice as much memory; beyond a
    /// reservation of 32 KiB libmicrohttpd maps pages for every connection, which doubles what a new one
    /// costs. Default: 16 KiB.
    public var maxHeaderBytes = 16 << 10

    /// Header fields of a request; more are refused with 431. Default: 100.
    public var maxHeaderFields = 100

    /// Bytes that the kernel buffers for a client that does not read (SO_SNDBUF; the kernel doubles the
    /// figure for its own bookkeeping). Default: 64 KiB.
    public var sendBufferBytes = 64 << 10

    /// Bytes that may wait in that buffer before the network has taken their first (TCP_NOTSENT_LOWAT, tcp(7)): the
    /// kernel takes no more beyond it, and asks for more below half of it. What waits there can't be taken back, so a
    /// slow reader lags by it; what is on its way, as the network allows, is not counted. Default: 16 KiB.
    public var unsentBytes = 16 << 10

    /// Milliseconds that `stop()` waits for the last answers to leave. Default: 2,000.
    public var stopGraceMilliseconds = 2_000

    public init() {}
}
