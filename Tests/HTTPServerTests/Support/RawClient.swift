import Glibc

/// A blocking TCP connection to a server on this machine that sends exactly the bytes it is told to.
///
/// The receive timeout ends a test that is going to fail; nothing waits for it to pass.
final class RawClient {
    struct Failure: Error { let reason: String }

    private(set) var descriptor: Int32
    private var buffered: [UInt8] = []

    init(port: Int, receiveBufferBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var bytes = receiveBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(reason: "connect: \(errno)") }
    }

    deinit { closeNow() }

    /// Sends everything, or as much as the server takes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// The next bytes; empty at the end of the stream and after a reset.
    func receive() throws -> [UInt8] {
        if !buffered.isEmpty {
            defer { buffered = [] }
            return buffered
        }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { throw Failure(reason: "nothing came in time") }
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// What follows is read again before anything new.
    func unread(_ bytes: some Sequence<UInt8>) { buffered = Array(bytes) + buffered }

    func receiveToEnd() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try receive()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with RST instead of FIN.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        closeNow()
    }

    func closeNow() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
