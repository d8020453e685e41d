public import FanOut
public import HTTPServer
public import Hub
public import Jobs

/// All that a Runcast server can be told at its start.
public struct ServiceConfiguration: Sendable {
    public var http = HTTPServerConfiguration()
    public var hub = HubLimits()
    public var fanOut = FanOutConfiguration()
    public var jobs = JobLimits()

    /// Where jobs and events are kept. Nil: in memory, and they end with the process.
    public var store: StoreConfiguration?
    /// The folder with the page. Nil serves the API alone.
    public var publicFolder: String?
    /// Between two values of the topic `ticks`; positive. Default 2 s.
    public var tickInterval = Duration.seconds(2)
    /// Threads that compute; at least 1. Default 1; the program takes one per core.
    public var workers = 1
    /// Names, besides `localhost`, IP addresses and `http.host`, by which clients may address the server (the Host field
    /// without a port, lower case). A page elsewhere whose name is made to resolve to this machine is kept out.
    public var allowedHosts: Set<String> = []
    /// Origins, such as `https://example.org`, whose pages may use the API (CORS). None by default.
    public var allowedOrigins: Set<String> = []
    /// How much of a topic's past is kept in memory, for topics that clients publish to and for runs.
    public var retention = Retention()
    /// Whether streams go out in the content coding gzip to clients that accept it. Default true.
    public var compressesStreams = true
    /// What a client is told to wait before it reconnects, in milliseconds. Default 2,000.
    public var retryMilliseconds = 2_000
    /// How long a stop may take, from the first signal to the exit. Default 10 s.
    public var drainTimeout = Duration.seconds(10)

    public init() {}
}
