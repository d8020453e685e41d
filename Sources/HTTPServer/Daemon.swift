import CMicrohttpd
import Glibc

/// A started libmicrohttpd daemon.
///
/// `@unchecked Sendable`: 1. the pointer never changes; 2. the C functions called with it are safe on
/// any thread; 3. it is freed in `stop`, which `HTTPServer` calls once, after having made the daemon
/// unreachable under its lock. `@safe` for the same reasons: no caller can misuse the pointer.
@safe final class Daemon: @unchecked Sendable {
    private let server: OpaquePointer
    private let exchanges: Exchanges

    init(
        _ configuration: HTTPServerConfiguration, _ listener: consuming Listener, _ exchanges: Exchanges
    ) throws(HTTPServerError) {
        self.exchanges = exchanges
        // Unretained: `stop` joins every thread that calls back, and this object keeps the exchanges
        // until then.
        var options = unsafe rc_options()
        unsafe options.threads = UInt32(configuration.threads)
        unsafe options.connection_limit = UInt32(configuration.connectionLimit)
        unsafe options.connection_timeout_seconds = UInt32(configuration.connectionTimeoutSeconds)
        unsafe options.pool_bytes = configuration.poolBytes
        unsafe options.max_header_bytes = configuration.maxHeaderBytes
        unsafe options.max_header_fields = configuration.maxHeaderFields
        unsafe options.max_body_bytes = configuration.maxBodyBytes
        unsafe options.discard_bytes = HTTPServerConfiguration.discardedBodyBytes
        unsafe options.callbacks = exchanges.callbacks
        unsafe options.listen_descriptor = listener.take()
        guard let server = unsafe rc_server_start(&options) else {
            throw HTTPServerError(errno: errno, "libmicrohttpd did not start")
        }
        unsafe self.server = server
    }

    var connectionCount: Int {
        Int(unsafe rc_server_connection_count(server))
    }

    func stop(graceMilliseconds: Int) {
        // First, so that no stream is handed over once its owner has been told of the stop, and so
        // that each suspended exchange is resumed before the daemon ends.
        unsafe rc_server_stopping(server)
        exchanges.stop()
        unsafe rc_server_stop(server, UInt32(graceMilliseconds))
    }
}
