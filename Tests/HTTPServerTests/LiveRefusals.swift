import HTTPServer
import TestSupport
import Testing

extension Live {
    /// Requests that are refused. After each the server must still answer others.
    @Suite struct Refusals {
        struct Bad: Sendable, CustomTestStringConvertible {
            let name: String
            let bytes: String
            var status = 400
            var testDescription: String { name }
        }

        static let refused: [Bad] = [
            Bad(name: "no Host", bytes: "GET /now HTTP/1.1\r\n\r\n"),
            Bad(name: "two Hosts", bytes: "GET /now HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
            Bad(name: "a list of hosts", bytes: "GET /now HTTP/1.1\r\nHost: a, b\r\n\r\n"),
            Bad(name: "a host with a path", bytes: "GET /now HTTP/1.1\r\nHost: a/b\r\n\r\n"),
            Bad(
                name: "coding and length",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                    + "Content-Length: 3\r\n\r\n0\r\n\r\n"),
            Bad(
                name: "length and coding",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\nabc"),
            Bad(
                name: "an unknown coding",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nabc"),
            Bad(
                name: "a coding before chunked",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
            Bad(
                name: "identity",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\nabc"),
            Bad(
                name: "chunked with a vertical tab before",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n"),
            Bad(
                name: "two codings",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Bad(
                name: "a coding in HTTP/1.0",
                bytes: "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Bad(
                name: "two lengths",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
            Bad(
                name: "a list of lengths",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc"),
            Bad(
                name: "a signed length",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc"),
            Bad(
                name: "a negative length",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc"),
            Bad(
                name: "a hexadecimal length",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\nabc"),
            Bad(
                name: "a length beyond 64 bits",
                bytes:
                    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
                status: 413),
            Bad(
                name: "a blank before the colon",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc"),
            Bad(name: "a field without a colon", bytes: "GET /now HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n"),
            Bad(name: "a field without a name", bytes: "GET /now HTTP/1.1\r\nHost: x\r\n: v\r\n\r\n"),
            Bad(
                name: "a folded field",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n x\r\n\r\n0\r\n\r\n"),
            Bad(name: "a folded first field", bytes: "GET /now HTTP/1.1\r\n Host: x\r\nHost: y\r\n\r\n"),
            Bad(name: "bare LF after the line", bytes: "GET /now HTTP/1.1\nHost: x\r\n\r\n"),
            Bad(name: "bare LF after a field", bytes: "GET /now HTTP/1.1\r\nHost: x\nA: b\r\n\r\n"),
            Bad(name: "bare LF at the end", bytes: "GET /now HTTP/1.1\r\nHost: x\r\n\n"),
            Bad(name: "a bare CR in a value", bytes: "GET /now HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n"),
            Bad(name: "NUL in a value", bytes: "GET /now HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n"),
            Bad(
                name: "NUL in the length",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\0000\r\n\r\nabc"),
            Bad(name: "NUL in a name", bytes: "GET /now HTTP/1.1\r\nHost: x\r\nA\0B: c\r\n\r\n"),
            Bad(
                name: "NUL at the start of a line",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\n\0Content-Length: 3\r\n\r\nabc"),
            Bad(
                name: "two NULs at the start of a line",
                bytes: "POST /echo HTTP/1.1\r\nHost: x\r\n\0\0Content-Length: 3\r\n\r\nabc"),
            Bad(name: "a control character", bytes: "GET /now HTTP/1.1\r\nHost: x\r\nA: \u{1}\r\n\r\n"),
            Bad(name: "a method that is no token", bytes: "G@T /now HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "two spaces before the target", bytes: "GET  /now HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "two spaces before the version", bytes: "GET /now  HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "a space in the target", bytes: "GET /now x HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "a version in lower case", bytes: "GET /now http/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "version 2.0", bytes: "GET /now HTTP/2.0\r\nHost: x\r\n\r\n", status: 505),
            Bad(name: "version 0.9", bytes: "GET /now HTTP/0.9\r\nHost: x\r\n\r\n", status: 505),
            Bad(name: "escaped NUL", bytes: "GET /now%00 HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "escaped NUL in the query", bytes: "GET /now?a=%00 HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "a bad escape", bytes: "GET /now%2 HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "a worse escape", bytes: "GET /now%zz HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "an escape that is not UTF-8", bytes: "GET /now%ff HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "a fragment", bytes: "GET /now#a HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "a target that is no path", bytes: "GET now HTTP/1.1\r\nHost: x\r\n\r\n"),
            Bad(name: "authority form", bytes: "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ]

        @Test(arguments: refused)
        func `is refused with its status and no second answer`(_ bad: Bad) async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(bad.bytes)
                client.finishSending()
                let response = try client.receiveResponse()
                #expect(response.status == bad.status)
                // What follows the refused request on its connection must never be taken for another.
                let rest = String(decoding: try client.receiveToEnd(), as: UTF8.self)
                #expect(!rest.contains(" 200 "))
                #expect(try live.client().get("/now").text == "now")
            }
        }

        @Test(arguments: [
            "GET /now HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
            "\r\nGET /now HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET http://x:80/now HTTP/1.1\r\nHost: y\r\n\r\n",
            "GET /now? HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
            "GET /now HTTP/1.7\r\nhOST:x\t\r\nA:\t\r\n\r\n",
        ])
        func `is odd but allowed`(_ bytes: String) async throws {
            try await blocking {
                let live = try LiveServer()
                #expect(try live.client().exchange(bytes).text == "now")
            }
        }

        @Test(arguments: [
            "GET /now\0x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /\0/../now HTTP/1.1\r\nHost: x\r\n\r\n",
            "GE\0T /now HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
        func `NUL in the request line is refused, or not answered at all`(_ bytes: String) async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send(bytes)
                // libmicrohttpd 1.0.1 closes without an answer.
                let answer = String(decoding: try client.receiveToEnd(), as: UTF8.self)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "))
            }
        }

        @Test func `a blank behind chunked does not change how the body is read`() async throws {
            try await blocking {
                let live = try LiveServer()
                let response = try live.client().exchange(
                    "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked \r\n\r\n"
                        + "3\r\nabc\r\n0\r\n\r\n")
                // libmicrohttpd 0.9.75 would read to the end of the connection; 1.0.1 drops the blank.
                #expect(response.status == 400 || response.text == "abc")
            }
        }

        @Test func `long targets, many fields and large cookies meet their bounds`() async throws {
            try await blocking {
                let live = try LiveServer()
                func status(_ target: String, _ fields: String = "") throws -> RawResponse {
                    try live.client().get(target, fields: fields)
                }
                let cookie = { (count: Int) in "Cookie: a=\(String(repeating: "b", count: count))\r\n" }
                #expect(try status("/now", cookie(1_200)).status == 200)
                #expect(try status("/now", cookie(14_000)).status == 200)
                for count in [17_000, 20_000, 33_000, 200_000] {
                    #expect(try status("/now", cookie(count)).status == 431)
                }
                #expect(try status("/now?\(String(repeating: "a", count: 16_000))").status == 200)
                #expect(try status("/now?\(String(repeating: "a", count: 17_000))").status == 414)
                #expect(try status("/now?\(String(repeating: "a", count: 200_000))").status == 414)
                let fields = { (count: Int) in (0..<count).map { "F\($0): v\r\n" }.joined() }
                #expect(try status("/now", fields(99)).status == 200)
                let refused = try status("/now", fields(100))
                #expect(refused.status == 431)
                #expect(refused["Content-Type"] == "application/problem+json")
                #expect(try status("/now", fields(2_000)).status == 431)
                #expect(try status("/now?\(String(repeating: "&", count: 2_000))").status == 200)
            }
        }

        @Test func `2,000 random requests leave the server answering`() async throws {
            try await blocking {
                let live = try LiveServer()
                var generator = SplitMix(seed: 20_260_730)
                for round in 0..<2_000 {
                    let client = try live.client()
                    client.send(generator.hostileRequest())
                    if round % 3 == 0 { client.finishSending() }
                    if round % 5 == 0 { client.reset() }
                    if round % 100 == 99 { #expect(try live.client().get("/now").text == "now") }
                }
                #expect(try live.client().get("/now").text == "now")
                live.server.stop()
                #expect(live.streams.isSettled)
            }
        }
    }
}
