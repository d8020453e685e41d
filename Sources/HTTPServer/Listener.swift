import Glibc

/// A bound, listening TCP socket. Closed on deinit unless taken.
struct Listener: ~Copyable {
    private let descriptor: Int32
    /// The one that the kernel chose, if the configured one was 0.
    let port: Int

    init(_ configuration: HTTPServerConfiguration) throws(HTTPServerError) {
        let (host, port) = (configuration.host, configuration.port)
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let first = unsafe list else {
            let reason = unsafe String(cString: gai_strerror(result))
            throw HTTPServerError(.badHost, "\(host): \(reason)")
        }
        defer { unsafe freeaddrinfo(first) }
        let descriptor = try unsafe Listener.listening(on: first.pointee, configuration)
        let chosen: Int
        do {
            chosen = try Listener.port(of: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = chosen
    }

    /// Gives the descriptor to the caller, who closes it.
    consuming func take() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    deinit {
        close(descriptor)
    }

    private static func listening(
        on address: addrinfo, _ configuration: HTTPServerConfiguration
    ) throws(HTTPServerError) -> Int32 {
        let subject = "\(configuration.host), port \(configuration.port)"
        let type = unsafe address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(address.ai_family, type, address.ai_protocol)
        guard descriptor >= 0 else { throw HTTPServerError(errno: errno, subject) }
        // A restarted server may listen while old connections are in TIME_WAIT (socket(7)).
        set(SO_REUSEADDR, at: SOL_SOCKET, to: 1, on: descriptor)
        // Accepted sockets inherit these, which saves a call for each.
        set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1, on: descriptor)
        set(SO_SNDBUF, at: SOL_SOCKET, to: configuration.sendBufferBytes, on: descriptor)
        set(TCP_NOTSENT_LOWAT, at: Int32(IPPROTO_TCP), to: configuration.unsentBytes, on: descriptor)
        guard unsafe bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            listen(descriptor, Int32(configuration.listenBacklog)) == 0
        else {
            let number = errno
            close(descriptor)
            throw HTTPServerError(errno: number, subject)
        }
        return descriptor
    }

    /// A failure is harmless: the kernel's default serves, only less well.
    private static func set(_ option: Int32, at level: Int32, to value: Int, on descriptor: Int32) {
        var value = Int32(value)
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func port(of descriptor: Int32) throws(HTTPServerError) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard result == 0 else { throw HTTPServerError(errno: errno, "the listening socket") }
        // The port lies at the same place in sockaddr_in and sockaddr_in6.
        return unsafe withUnsafeBytes(of: storage) { bytes in
            unsafe Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
