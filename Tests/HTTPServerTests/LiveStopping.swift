import HTTPServer
import Primitives
import Testing

extension Live {
    @Suite struct Stopping {
        @Test func `a stop with everything at once settles everything`() async throws {
            try await blocking {
                for round in 0..<10 {
                    let live = try LiveServer()
                    var clients: [RawClient] = []
                    for index in 0..<60 {
                        let client = try live.client()
                        switch index % 6 {
                        case 0: break  // connects and never sends
                        case 1: client.send("GET /later/\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                        case 2: client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
                        case 3: client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab")
                        case 4: client.send("GET /now HTTP/1.1\r\nHo")
                        default: client.send("GET /soon/\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                        }
                        clients.append(client)
                    }
                    if round % 2 == 0 { #expect(live.gates.arrivals.wait { $0.arrived == 10 }) }
                    let elapsed = ContinuousClock().measure { live.server.stop() }
                    #expect(elapsed < .seconds(5))
                    #expect(live.streams.isSettled)
                    live.streams.closeAll()
                    // Every connection has ended: reading comes to an end instead of waiting.
                    for client in clients { _ = try client.receiveToEnd() }
                }
            }
        }

        @Test func `a client that does not read its answer delays a stop by the grace only`() async throws {
            try await blocking {
                let live = try LiveServer { $0.stopGraceMilliseconds = 100 }
                let client = try RawClient(port: live.port, receiveBufferBytes: 4_096)
                client.send("GET /large/50000000 HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.receiveHead()
                let elapsed = ContinuousClock().measure { live.server.stop() }
                #expect(elapsed >= .milliseconds(100))
                #expect(elapsed < .seconds(5))
            }
        }

        @Test func `who asks during a stop is answered in the application's words`() async throws {
            try await blocking {
                var configuration = HTTPServerConfiguration()
                configuration.stopGraceMilliseconds = 10_000
                let large = [UInt8](repeating: 120, count: 50_000_000)
                let server = HTTPServer(
                    configuration: configuration,
                    respondWhileStopping: { request in
                        request.path == ["later"]
                            ? .later { .response(Response(text: "late")) } : .now(Response(text: "come back"))
                    },
                    respond: { request in
                        .now(request.path == ["large"] ? Response(status: 200, body: large) : Response(text: "now"))
                    })
                let port = try server.start()
                // Its answer holds up the stop.
                let slow = try RawClient(port: port, receiveBufferBytes: 4_096)
                slow.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try slow.receiveHead()
                func get(_ target: String) throws -> RawResponse { try RawClient(port: port).get(target) }
                let stop = OwnThread(name: "stop") { server.stop() }
                while try get("/").text == "now" {}
                let answer = try get("/")
                #expect(answer.text == "come back" && answer["Connection"]?.lowercased() == "close")
                #expect(try get("/later").status == 503)
                slow.closeNow()
                stop.join()
            }
        }

        /// libmicrohttpd 0.9.75 builds a head from no response when it refuses a request by itself while it stops.
        @Test func `a request that can't be parsed, in the moment of a stop, ends nothing but its connection`()
            async throws
        {
            try await blocking {
                for _ in 0..<40 {
                    let live = try LiveServer { $0.threads = 2 }
                    let isOver = Locked(false)
                    let clients = (0..<4).map { _ in
                        OwnThread(name: "client") {
                            while !isOver.withLock({ $0 }) {
                                guard let client = try? live.client() else { continue }
                                client.send("GET / HTTP/3.7\r\nHost: x\r\n\r\n")
                                _ = try? client.receiveToEnd()
                            }
                        }
                    }
                    for _ in 0..<20 { _ = try? live.client().get("/now") }
                    live.server.stop()
                    isOver.withLock { $0 = true }
                    for client in clients { client.join() }
                }
            }
        }

        @Test func `stopping twice, or before the start, does nothing`() async throws {
            try await blocking {
                let live = try LiveServer()
                live.server.stop()
                live.server.stop()
                #expect(live.server.connectionCount == 0)
                let idle = HTTPServer { _ in .now(Response(status: 200)) }
                idle.stop()
                #expect(throws: HTTPServerError.self) { try idle.start() }
            }
        }

        @Test func `the port is free after a stop`() async throws {
            try await blocking {
                let first = try LiveServer()
                #expect(try first.client().get("/now").text == "now")
                first.server.stop()
                let second = try LiveServer { $0.port = first.port }
                #expect(second.port == first.port)
                #expect(try second.client().get("/now").text == "now")
            }
        }

        @Test func `no descriptor is left behind`() async throws {
            try await blocking {
                let before = openDescriptors()
                for _ in 0..<40 {
                    let live = try LiveServer()
                    for index in 0..<10 {
                        let client = try live.client()
                        client.send(
                            index % 2 == 0
                                ? "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"
                                : "GET /now HTTP/1.1\r\nHost: x\r\n\r\n")
                        _ = try client.receiveHead()
                    }
                    #expect(live.streams.waitForTaken(5))
                    live.server.stop()
                }
                // Other tests of this process may open a few meanwhile; a leak here would be of 40 or more.
                #expect(openDescriptors() - before < 30)
            }
        }
    }
}
