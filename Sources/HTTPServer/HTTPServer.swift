import Primitives

/// An HTTP/1.1 server over libmicrohttpd.
///
/// It parses and refuses, answers what is short, and hands the sockets of streams to someone else.
/// Threading: every method may be called on any thread. `respond` is called on the server's own
/// threads, several at a time, and must not block.
public final class HTTPServer: Sendable {
    private enum State {
        case idle
        case running(Daemon)
        case stopped
    }

    private let configuration: HTTPServerConfiguration
    private let exchanges: Exchanges
    private let state = Locked(State.idle)

    /// - Parameters:
    ///   - respondWhileStopping: decides how a well-formed request is answered that comes during ``stop()``, on a kept or
    ///     a new connection. What it does not answer at once, and all if it is nil, is answered with 503.
    ///   - respond: decides how each well-formed request is answered.
    public init(
        configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
        respondWhileStopping: (@Sendable (Request) -> Reply)? = nil,
        respond: @escaping @Sendable (Request) -> Reply
    ) {
        self.configuration = configuration
        exchanges = Exchanges(respond: respond, respondWhileStopping: respondWhileStopping)
    }

    deinit {
        stop()
    }

    /// Binds, listens and starts the threads; returns the port. From here on requests are answered.
    ///
    /// A server starts once: a stopped one stays stopped.
    public func start() throws(HTTPServerError) -> Int {
        let problem = configuration.problem
        if let problem { throw HTTPServerError(.badConfiguration, problem) }
        // The lock is held while the daemon starts, so that a stop finds it running or never to be started.
        return try state.withLock { state throws(HTTPServerError) in
            guard case .idle = state else {
                throw HTTPServerError(.alreadyStarted, "This server was started before.")
            }
            let listener = try Listener(configuration)
            let port = listener.port
            state = .running(try Daemon(configuration, listener, exchanges))
            return port
        }
    }

    /// Ends the server and returns when all its threads have ended. Does nothing if it does not run.
    ///
    /// No new work is begun: requests are answered with 503 or by `respondWhileStopping`, tasks of `Reply.later` are cancelled and
    /// answered with 503, streams not yet handed over are abandoned. What is on its way to a client
    /// gets `stopGraceMilliseconds`; then every connection is closed. A socket may still be handed
    /// over while this runs, none afterwards. Blocks up to the grace; must not be called in `respond`,
    /// `taken` or `abandoned`.
    public func stop() {
        let daemon = state.withLock { state -> Daemon? in
            defer { state = .stopped }
            guard case .running(let daemon) = state else { return nil }
            return daemon
        }
        daemon?.stop(graceMilliseconds: configuration.stopGraceMilliseconds)
    }

    /// The connections inside the server, without those handed over. 0 if it does not run.
    public var connectionCount: Int {
        state.withLock { state in
            guard case .running(let daemon) = state else { return 0 }
            return daemon.connectionCount
        }
    }
}
