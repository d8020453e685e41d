import HTTPServer
import Testing

extension Live {
    @Suite struct Streams {
        private static let request = "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"

        @Test func `the socket changes hands behind a chunked head`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(Streams.request)
                let head = try client.receiveHead()
                #expect(head.status == 200)
                #expect(head["Content-Type"] == "text/event-stream")
                #expect(head["Transfer-Encoding"] == "chunked")
                #expect(head["Connection"] == "close")
                #expect(head["Content-Length"] == nil)
                #expect(live.streams.waitForTaken(1))
                #expect(live.streams.entries.update { $0.sockets.map(\.isChunked) } == [true])
                #expect(live.streams.write("5\r\nhello\r\n") == 1)
                #expect(try client.receiveChunk() == Array("hello".utf8))
                #expect(live.streams.write("0\r\n\r\n") == 1)
                #expect(try client.receiveChunk().isEmpty)
                live.streams.closeAll()
                #expect(try client.receiveToEnd().isEmpty)
            }
        }

        @Test func `HTTP 1_0 gets plain bytes up to the close`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let head = try client.receiveHead()
                #expect(head["Transfer-Encoding"] == nil)
                #expect(head["Connection"] == "close")
                #expect(live.streams.waitForTaken(1))
                #expect(live.streams.entries.update { $0.sockets.map(\.isChunked) } == [false])
                #expect(live.streams.write("data: x\n\n") == 1)
                live.streams.closeAll()
                #expect(try client.receiveToEnd() == Array("data: x\n\n".utf8))
            }
        }

        @Test func `a stream may follow other requests on its connection`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                #expect(try client.get("/now").text == "now")
                #expect(try client.get("/soon/a").text == "a")
                client.send(Streams.request)
                #expect(try client.receiveHead().status == 200)
                #expect(live.streams.waitForTaken(1))
                #expect(live.streams.write("1\r\nx\r\n") == 1)
                #expect(try client.receiveChunk() == [120])
            }
        }

        @Test func `requests pipelined behind a stream are never answered`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(Streams.request + "GET /now HTTP/1.1\r\nHost: x\r\n\r\n" + Streams.request)
                #expect(try client.receiveHead().status == 200)
                #expect(live.streams.waitForTaken(1))
                #expect(live.streams.write("0\r\n\r\n") == 1)
                #expect(try client.receiveChunk().isEmpty)
                live.streams.closeAll()
                #expect(try client.receiveToEnd().isEmpty)
                live.server.stop()
                #expect(live.streams.entries.update { $0.offered } == 1)
            }
        }

        @Test func `each stream is settled once, whenever its client leaves`() async throws {
            try await blocking {
                let live = try LiveServer()
                for round in 0..<300 {
                    let client = try live.client()
                    client.send(Streams.request)
                    switch round % 4 {
                    case 0: client.reset()
                    case 1: client.closeNow()
                    case 2:
                        _ = try client.receive()
                        client.reset()
                    default: _ = try client.receiveHead()
                    }
                }
                live.server.stop()
                #expect(live.streams.isSettled)
                #expect(live.streams.entries.update { $0.taken } >= 75)
            }
        }

        @Test func `ended streams leave nothing behind an idle connection`() async throws {
            try await blocking {
                let live = try LiveServer { $0.threads = 1 }
                // The oldest on the daemon's list: what the walk over the timeouts stops at.
                let idle = try live.client()
                #expect(try idle.get("/now").text == "now")
                for index in 0..<50 {
                    let client = try live.client()
                    client.send(index % 2 == 0 ? Streams.request : "GET /stream HTTP/1.0\r\n\r\n")
                    _ = try client.receiveHead()
                }
                #expect(live.streams.waitForTaken(50))
                // Round trips through the one thread come after its cleaning up. The idle connection is left
                // alone meanwhile, else it would be the youngest.
                let probe = try live.client()
                for _ in 0..<2 { #expect(try probe.get("/now").text == "now") }
                #expect(live.server.connectionCount == 2)
            }
        }

        @Test func `a stream outlives the server`() async throws {
            try await blocking {
                let live = try LiveServer()
                let clients = try (0..<200).map { _ in
                    let client = try live.client()
                    client.send(Streams.request)
                    return client
                }
                for client in clients { #expect(try client.receiveHead().status == 200) }
                #expect(live.streams.waitForTaken(200))
                let elapsed = ContinuousClock().measure { live.server.stop() }
                #expect(elapsed < .seconds(2))
                #expect(live.streams.write("1\r\nx\r\n") == 200)
                for client in clients { #expect(try client.receiveChunk() == [120]) }
            }
        }
    }
}
