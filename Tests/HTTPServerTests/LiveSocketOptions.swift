import Glibc
import HTTPServer
import Testing

extension Live {
    @Suite struct SocketOptions {
        @Test func `an accepted socket has what the listening one was given`() async throws {
            try await blocking {
                let live = try LiveServer {
                    $0.sendBufferBytes = 32 << 10
                    $0.unsentBytes = 4_321
                }
                let client = try live.client()
                client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                #expect(live.streams.waitForTaken(1))
                let socket = live.streams.entries.update { $0.sockets[0].descriptor }
                let tcp = Int32(IPPROTO_TCP)
                #expect(option(TCP_NODELAY, at: tcp, of: socket) != 0)
                #expect(option(TCP_NOTSENT_LOWAT, at: tcp, of: socket) == 4_321)
                // The kernel doubles it, socket(7).
                #expect(option(SO_SNDBUF, at: SOL_SOCKET, of: socket) == 65_536)
            }
        }
    }
}

/// Nil when the kernel does not tell.
private func option(_ name: Int32, at level: Int32, of socket: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(socket, level, name, &value, &length) == 0 ? value : nil
}
