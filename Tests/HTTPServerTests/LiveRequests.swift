import HTTPServer
import Testing

extension Live {
    @Suite struct Requests {
        @Test func `a request is answered`() async throws {
            try await blocking {
                let live = try LiveServer()
                let response = try live.client().get("/now")
                #expect(response.status == 200)
                #expect(response.text == "now")
                #expect(response["Server"] == nil)
                #expect(response["Connection"] == nil)
            }
        }

        @Test func `a connection serves many requests`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                for _ in 0..<50 { #expect(try client.get("/now").text == "now") }
                #expect(live.server.connectionCount == 1)
            }
        }

        @Test func `pipelined requests are answered in order`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(
                    (0..<20).map { "GET /describe/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
                        + "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                        + "GET /soon/b HTTP/1.1\r\nHost: x\r\n\r\nGET /now HTTP/1.1\r\nHost: x\r\n\r\n")
                for index in 0..<20 {
                    #expect(try client.receiveResponse().text.hasPrefix("\(index)|"))
                }
                #expect(try client.receiveResponse().text == "abc")
                #expect(try client.receiveResponse().text == "b")
                #expect(try client.receiveResponse().text == "now")
            }
        }

        @Test func `Connection close ends the connection`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                let response = try client.get("/now", fields: "Connection: close\r\n")
                #expect(response["Connection"] == "close")
                #expect(try client.receiveToEnd().isEmpty)
            }
        }

        @Test func `HTTP 1_0 is answered and the connection ends`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                let response = try client.exchange("GET /now HTTP/1.0\r\n\r\n")
                #expect(response.text == "now")
                #expect(try client.receiveToEnd().isEmpty)
            }
        }

        @Test func `target and fields arrive as they were sent`() async throws {
            try await blocking {
                let live = try LiveServer()
                let response = try live.client().get(
                    "/describe/a%2Fb/%C3%A9?q=1+2&q=%26&&e", fields: "X-Long:   a  b  \r\nEmpty:\r\n")
                #expect(response.text == "a/b/\u{E9}|q=1 2;q=&;e=|Host:1,X-Long:4,Empty:0")
            }
        }

        @Test func `HEAD has the length of GET, no body, and leaves the connection in step`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                for target in ["/now", "/soon/abc", "/empty", "/stream"] {
                    let head = try client.exchange(
                        "HEAD \(target) HTTP/1.1\r\nHost: x\r\n\r\n", isHead: true)
                    #expect(head.status == (target == "/empty" ? 204 : 200))
                    if target != "/stream", target != "/empty" { #expect(head["Content-Length"] == "3") }
                    #expect(try client.get("/now").text == "now")
                }
                #expect(live.streams.entries.update { $0.abandoned } == 1)
                #expect(live.streams.isSettled)
            }
        }

        @Test func `a large answer arrives whole`() async throws {
            try await blocking {
                let live = try LiveServer()
                let response = try live.client().get("/large/5000000")
                #expect(response.body.count == 5_000_000)
                #expect(response.body.allSatisfy { $0 == 120 })
            }
        }

        @Test func `an unknown path is 404 and an unknown method 405`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                let missing = try client.get("/nope")
                #expect(missing.status == 404)
                #expect(missing["Content-Type"] == "application/problem+json")
                let refused = try client.exchange("DELETE /now HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(refused.status == 405)
                #expect(refused["Allow"] == "GET, HEAD")
                #expect(try client.get("/now").text == "now")
            }
        }
    }
}
