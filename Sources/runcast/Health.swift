import Glibc
import HTTPServer
import Service

/// The server that `runcast health` asks.
struct HealthTarget {
    let host: String
    let port: Int

    /// Where a server with these options listens; of every address, the loopback one will do.
    init(_ options: ServeOptions) {
        let host = options.service.http.host
        self.host = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        port = options.service.http.port
    }
}

/// Asks `/readyz`. For health checks of containers, which have no other client at hand.
/// - Returns: the exit status: 0 when the server answered 200 within 3 seconds, else 1.
func checkHealth(of target: HealthTarget) -> Int32 {
    guard let answer = get("/readyz", from: target) else {
        complain("no answer from \(target.host) port \(target.port)")
        return 1
    }
    guard answer.hasPrefix("HTTP/1.1 200 ") else {
        complain("not ready: \(answer.prefix { $0 != "\r" })")
        return 1
    }
    return 0
}

private func get(_ path: String, from target: HealthTarget) -> String? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var addresses: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(target.host, String(target.port), &hints, &addresses) == 0,
        let address = unsafe addresses?.pointee
    else { return nil }
    defer { unsafe freeaddrinfo(addresses) }
    let descriptor = unsafe socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var timeout = timeval(tv_sec: 3, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { return nil }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
}
