import HTTPServer
import Primitives
import Testing

@testable import Service

struct JSONReadingTests {
    private func read(_ text: String) throws(Problem) -> JSONValue {
        guard let request = try? Request(.post, "/", body: Array(text.utf8)) else {
            preconditionFailure("the target is valid")
        }
        return try jsonBody(of: request)
    }

    @Test func `numbers keep 64 bits, and fractions stay doubles`() throws {
        #expect(
            try read("[9223372036854775807,-9223372036854775808,0.5,1e300]")
                == [.integer(.max), .integer(.min), .number(0.5), .number(1e300)])
    }

    @Test(arguments: ["", "{", "nope", "{\"a\":}", "[,1]", "\u{0}", "{\"a\":1}}", "[1e400]"])
    func `what is not JSON is malformed`(text: String) throws {
        let problem = #expect(throws: Problem.self) { try read(text) }
        #expect(problem?.status == 400)
    }

    @Test func `nesting is bounded, brackets in strings do not count`() throws {
        let depth = maxNestingDepth
        _ = try read(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        let problem = #expect(throws: Problem.self) {
            try read(String(repeating: "[", count: depth + 1) + String(repeating: "]", count: depth + 1))
        }
        #expect(problem?.status == 400)
        _ = try read("[\"" + String(repeating: "[{\\\"", count: 500) + "\"]")
    }

    @Test func `invalid UTF-8 is malformed`() throws {
        let request = try Request(.post, "/", body: [0x22, 0xFF, 0xFE, 0x22])
        #expect(throws: Problem.self) { try jsonBody(of: request) }
    }

    @Test func `members are taken with their types, and what is left over is named`() throws {
        var members = try Members(of: ["name": "x", "flag": true, "seconds": 1.5, "typo": 1, "none": nil])
        #expect(try members.takeString("name") == "x")
        #expect(try members.takeBool("flag") == true)
        #expect(try members.takeSeconds("seconds") == .seconds(1.5))
        #expect(try members.takeID("none") == nil)
        let problem = #expect(throws: Problem.self) { try members.finish() }
        #expect(problem?.status == 422)
        #expect(problem?.members.first?.value == "typo")
    }

    @Test(arguments: [JSONValue.integer(0), .integer(-1), .number(1e12), "2", true, [1]])
    func `a time must be a positive number`(value: JSONValue) throws {
        var members = try Members(of: ["seconds": value])
        let problem = #expect(throws: Problem.self) { _ = try members.takeSeconds("seconds") }
        #expect(problem?.status == 422)
    }
}

struct AcceptTests {
    @Test(
        arguments: [
            (nil, true), ("*/*", true), ("text/*;q=0.5", true), ("text/event-stream", true),
            ("application/json, text/event-stream", true), ("application/json", false), ("text/html", false),
            ("text/event-stream;q=0", false), ("text/event-stream; q=0.0", false), ("Text/Event-Stream", true),
        ] as [(String?, Bool)])
    func `a stream is sent to who accepts one`(accept: String?, isAccepted: Bool) throws {
        var headers = Headers()
        headers["Accept"] = accept
        #expect(accepts(eventStream: try Request(.get, "/", headers: headers)) == isAccepted)
    }
}
