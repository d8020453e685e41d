import HTTPServer
import Primitives
import Testing

@testable import Service

struct JSONReadingTests {
    private func read(_ text: String) throws(Problem) -> JSONValue {
        guard let request = try? Request(.post, "/", body: Array(text.utf8)) else {
            preconditionFailure("the target is valid")
        }
        return try JSONBody(of: request).value
    }

    @Test func `numbers keep 64 bits, and fractions stay doubles`() throws {
        #expect(
            try read("[9223372036854775807,-9223372036854775808,0.5,1e300]")
                == [.integer(.max), .integer(.min), .number(0.5), .number(1e300)])
    }

    @Test(
        arguments: [
            "", "{", "nope", "{\"a\":}", "[,1]", "\u{0}", "{\"a\":1}}", "[1e400]", "[1,]", "{\"a\":1,}", "{\"a\" 1}",
            "[1 2]",
            "{a:1}", "{'a':1}", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "Infinity", "tru", "nulll", "\"\t\"",
            "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"", "1 // one", "\u{FEFF}1", "[\u{A0}1]", "{\"a\":1,\"a\":2}",
            "[{\"a\":{\"b\":1,\"\\u0062\":1}}]",
        ])
    func `what is not JSON is malformed`(text: String) throws {
        let problem = #expect(throws: Problem.self) { try read(text) }
        #expect(problem?.status == 400)
    }

    @Test(
        arguments: [
            "0", "-0", "-1.5E+10", "1e-2", "\"\"", " [ ] ", "{ }", "\t[\r\n1 , true,false ,null]\n",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
            "{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}}", "\"\\ud83d\\ude00\"",
        ])
    func `what is JSON is read`(text: String) throws {
        _ = try read(text)
    }

    @Test func `a member's text is kept as it was written`() throws {
        let request = try Request(
            .post, "/", body: Array(#"{"b": [1], "data" : {"n": 18446744073709551615, "x": 1.0}, "c": "}"}"#.utf8))
        let text = try #require(try JSONBody(of: request).text(ofMember: "data"))
        #expect(String(decoding: text, as: UTF8.self) == #"{"n": 18446744073709551615, "x": 1.0}"#)
    }

    @Test func `nesting is bounded, brackets in strings do not count`() throws {
        let depth = JSONBody.maxDepth
        _ = try read(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        let problem = #expect(throws: Problem.self) {
            try read(String(repeating: "[", count: depth + 1) + String(repeating: "]", count: depth + 1))
        }
        #expect(problem?.status == 400)
        _ = try read("[\"" + String(repeating: "[{\\\"", count: 500) + "\"]")
    }

    @Test func `invalid UTF-8 is malformed`() throws {
        let request = try Request(.post, "/", body: [0x22, 0xFF, 0xFE, 0x22])
        #expect(throws: Problem.self) { try JSONBody(of: request) }
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
