import HTTPServer
import Testing

extension Live {
    @Suite struct Bodies {
        private static func post(_ fields: String, _ body: String = "") -> String {
            "POST /echo HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(body)"
        }

        @Test func `a body of the exact bound is taken, one byte more is 413`() async throws {
            try await blocking {
                let live = try LiveServer { $0.maxBodyBytes = 100_000 }
                let client = try live.client()
                let body = String(repeating: "b", count: 100_000)
                let taken = try client.exchange(Bodies.post("Content-Length: 100000\r\n", body))
                #expect(taken.status == 200)
                #expect(taken.text == body)
                let refused = try client.exchange(Bodies.post("Content-Length: 100001\r\n"))
                #expect(refused.status == 413)
                #expect(refused["Content-Type"] == "application/problem+json")
                #expect(refused["Connection"] == "close")
                #expect(try client.receiveToEnd().isEmpty)
            }
        }

        @Test func `a bound of zero refuses every body and nothing else`() async throws {
            try await blocking {
                let live = try LiveServer { $0.maxBodyBytes = 0 }
                #expect(try live.client().exchange(Bodies.post("Content-Length: 0\r\n")).status == 200)
                #expect(try live.client().exchange(Bodies.post("Content-Length: 1\r\n", "a")).status == 413)
                #expect(
                    try live.client().exchange(
                        Bodies.post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\n\r\n")
                    ).status == 413)
            }
        }

        @Test func `a chunked body is put together`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                let response = try client.exchange(
                    Bodies.post(
                        "Transfer-Encoding: CHUNKED\r\n",
                        "3\r\nabc\r\n00a\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"))
                #expect(response.text == "abc0123456789")
            }
        }

        @Test(arguments: [
            "3\nabc\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "3;\nabc\r\n0\r\n\r\n", "0\r\n\n", "0\r\nA: b\n\n",
            "0\r\n\0A: b\r\n\r\n",
        ])
        func `nothing behind an ambiguous chunked body is taken for a request`(_ body: String) async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(
                    Bodies.post("Transfer-Encoding: chunked\r\n", body)
                        + "GET /now HTTP/1.1\r\nHost: x\r\n\r\n")
                client.finishSending()
                let answers = String(decoding: try client.receiveToEnd(), as: UTF8.self)
                #expect(answers.hasPrefix("HTTP/1.1 "))
                #expect(!answers.hasSuffix("now"))
            }
        }

        @Test func `a chunk extension is ignored, or refused, but never read as data`() async throws {
            try await blocking {
                let live = try LiveServer()
                let response = try live.client().exchange(
                    Bodies.post("Transfer-Encoding: chunked\r\n", "3;a=\"b\"\r\nabc\r\n0\r\n\r\n"))
                // libmicrohttpd 1.0.1 refuses it, against RFC 9112, section 7.1.1.
                #expect(response.status == 200 && response.text == "abc" || response.status == 400)
            }
        }

        @Test func `a chunked body beyond the bound is 413 when it ends soon`() async throws {
            try await blocking {
                let live = try LiveServer { $0.maxBodyBytes = 1_000 }
                let chunk = "3e8\r\n\(String(repeating: "c", count: 1_000))\r\n"
                let taken = try live.client().exchange(
                    Bodies.post("Transfer-Encoding: chunked\r\n", chunk + "0\r\n\r\n"))
                #expect(taken.body.count == 1_000)
                let client = try live.client()
                let refused = try client.exchange(
                    Bodies.post("Transfer-Encoding: chunked\r\n", chunk + "1\r\nd\r\n0\r\n\r\n"))
                #expect(refused.status == 413)
                #expect(try client.receiveToEnd().isEmpty)
            }
        }

        @Test func `a chunked body without end is cut off`() async throws {
            try await blocking {
                let live = try LiveServer { $0.maxBodyBytes = 1_000 }
                let client = try live.client()
                client.send(Bodies.post("Transfer-Encoding: chunked\r\n"))
                let chunk = Array("10000\r\n\(String(repeating: "c", count: 65_536))\r\n".utf8)
                var sent = 0
                while sent < 1_000, client.send(chunk) { sent += 1 }
                // 4 MiB are dropped politely, and the kernel's buffers take some more.
                #expect(sent < 1_000)
                #expect(try live.client().get("/now").text == "now")
            }
        }

        @Test(arguments: ["zz\r\n", "-1\r\n", "\r\n", "3\r\nabcd\r\n", "fffffffffffffffff\r\n"])
        func `a bad chunk is refused`(_ chunk: String) async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                let response = try client.exchange(Bodies.post("Transfer-Encoding: chunked\r\n", chunk))
                #expect([400, 413].contains(response.status))
                #expect(!String(decoding: try client.receiveToEnd(), as: UTF8.self).contains(" 200 "))
                #expect(try live.client().get("/now").text == "now")
            }
        }

        @Test func `a body shorter than announced never reaches the application`() async throws {
            try await blocking {
                // libmicrohttpd overlooks a FIN that comes together with data: then the timeout ends it.
                let live = try LiveServer { $0.connectionTimeoutSeconds = 1 }
                let client = try live.client()
                client.send(Bodies.post("Content-Length: 10\r\n", "short"))
                client.finishSending()
                #expect(!String(decoding: try client.receiveToEnd(), as: UTF8.self).contains(" 200 "))
            }
        }

        @Test func `what follows a body is the next request`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(Bodies.post("Content-Length: 3\r\n", "abcGET /now HTTP/1.1\r\nHost: x\r\n\r\n"))
                #expect(try client.receiveResponse().text == "abc")
                #expect(try client.receiveResponse().text == "now")
            }
        }

        @Test func `100 Continue is sent before a body and not before a refusal`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(Bodies.post("Content-Length: 3\r\nExpect: 100-continue\r\n"))
                #expect(try client.receiveHead().status == 100)
                client.send("abc")
                #expect(try client.receiveResponse().text == "abc")
                client.send(Bodies.post("Content-Length: 9999999\r\nExpect: 100-continue\r\n"))
                #expect(try client.receiveResponse().status == 413)
                #expect(try client.receiveToEnd().isEmpty)
            }
        }

        @Test func `a body byte by byte is put together`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                for byte in Bodies.post("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
                    .utf8
                {
                    client.send([byte])
                }
                #expect(try client.receiveResponse().text == "abc")
            }
        }
    }
}
