import HTTPServer
import Testing

extension Live {
    @Suite struct CalledAnswers {
        @Test func `HEAD gets the head of the answer`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send("HEAD /called-at-once/abc HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receiveHead()["Content-Length"] == "3")
                #expect(try client.get("/now").text == "now")
            }
        }

        @Test func `a call may answer with a stream`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send("GET /called-stream HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.receiveHead()
                #expect(live.streams.waitForTaken(1))
                live.streams.closeAll()
            }
        }

        @Test func `a stop answers with 503, and what comes after it is dropped`() async throws {
            try await blocking {
                let live = try LiveServer()
                let clients = try (0..<40).map { index in
                    let client = try live.client()
                    client.send("GET /called/\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client
                }
                #expect(live.gates.arrivals.wait { $0.arrived == 40 })
                live.server.stop()
                for client in clients { #expect(try client.receiveResponse().status == 503) }
                for index in 0..<40 { live.gates.open("\(index)") }
            }
        }
    }
}
