import Glibc
import Hub
import TestSupport

@testable import FanOut

/// The far end of a connection that the fan-out has adopted.
///
/// Reading blocks until the bytes are there; the receive timeout is a safety net, so that a failing test ends.
final class Peer {
    private let descriptor: Int32
    private var isOpen = true
    /// Behind the response head.
    private(set) var received: [UInt8] = []
    /// What of the response head has not come yet.
    private var awaited = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)[...]

    /// - Parameter bufferBytes: what the kernel may hold for a peer that does not read.
    init(
        of fanOut: FanOut, subscription: Subscription, isChunked: Bool = true, isGzipped: Bool = false,
        greeting: Frame? = nil, bufferBytes: Int32? = nil, peerLeft: (@Sendable () -> Void)? = nil
    ) {
        var pair: [Int32] = [0, 0]
        let result = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        precondition(result == 0)
        descriptor = pair[1]
        if var bufferBytes {
            unsafe setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &bufferBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        fanOut.adopt(
            descriptor: pair[0], head: Frame(head: Array(awaited)), isChunked: isChunked, isGzipped: isGzipped,
            subscription: subscription, greeting: greeting, peerLeft: peerLeft)
    }

    deinit { leave() }

    func leave() {
        if isOpen { close(descriptor) }
        isOpen = false
    }

    /// Reads until the text has come, or the connection has ended.
    /// - Returns: whether it came.
    @discardableResult
    func read(until text: String) -> Bool {
        let pattern = Array(text.utf8)
        // Only what is new is searched, so that a long stream costs no more per event than a short one.
        var start = 0
        while true {
            if received[start...].firstRange(of: pattern) != nil { return true }
            start = max(0, received.count - pattern.count)
            guard readSome() else { return false }
        }
    }

    /// Everything up to the end of the connection.
    func readToEnd() -> String {
        while readSome() {}
        return self.text
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// Reads, as a browser does, what a gzip body says up to here, until the text has come or the connection has ended.
    /// - Parameter reader: of this peer alone.
    /// - Returns: whether it came.
    func read(until text: String, gunzipping reader: Gunzip) -> Bool {
        let pattern = Array(text.utf8)
        var start = 0
        while reader.text[start...].firstRange(of: pattern) == nil {
            start = max(0, reader.text.count - pattern.count)
            let read = received.count
            guard reader.status == .more, readSome() else { return false }
            reader.feed(Array(received[read...]))
        }
        return true
    }

    private func readSome() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        // The head comes first, whole and once; else the test's own expectations fail.
        var bytes = buffer.prefix(count)
        while let next = awaited.first, next == bytes.first {
            awaited.removeFirst()
            bytes.removeFirst()
        }
        received += bytes
        return true
    }
}

/// The text of a chunked body; nil when the framing is broken or the last chunk is missing.
func dechunked(_ bytes: [UInt8]) -> String? { dechunkedBytes(bytes).map { String(decoding: $0, as: UTF8.self) } }

/// The bytes of a chunked body; nil when the framing is broken or the last chunk is missing.
func dechunkedBytes(_ bytes: [UInt8]) -> [UInt8]? {
    var rest = bytes[...]
    var body: [UInt8] = []
    while true {
        guard let lineEnd = rest.firstIndex(of: 13), rest[lineEnd...].starts(with: [13, 10]),
            let size = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16)
        else { return nil }
        rest = rest[(lineEnd + 2)...]
        guard rest.count >= size + 2, rest.dropFirst(size).starts(with: [13, 10]) else { return nil }
        if size == 0 { return rest.count == 2 ? body : nil }
        body += rest.prefix(size)
        rest = rest.dropFirst(size + 2)
    }
}

/// Something that happens once, waited for without polling.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    init() { (stream, continuation) = AsyncStream.makeStream() }
    func raise() { continuation.yield() }
    func wait() async { for await _ in stream { return } }
}
