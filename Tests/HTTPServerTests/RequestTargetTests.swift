import HTTPServer
import Testing

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("/", []),
        ("/a", ["a"]),
        ("/a/", ["a", ""]),
        ("//a", ["", "a"]),
        ("/a/./../b", ["a", ".", "..", "b"]),
        ("/a%2Fb/c%20d", ["a/b", "c d"]),
        ("/%C3%A9+", ["\u{E9}+"]),
        ("/a?b/c", ["a"]),
        ("http://host:80", []),
        ("HTTP://host/a/b?c", ["a", "b"]),
        ("https://host?a=b", []),
    ])
    func `a path is split before it is decoded`(_ target: String, _ path: [String]) throws {
        #expect(try Request(.get, target).path == path)
    }

    @Test(arguments: [
        ("/?", []),
        ("/?a=1&b=2&a=3", ["a=1", "b=2", "a=3"]),
        ("/?a", ["a="]),
        ("/?=v", ["=v"]),
        ("/?a=b=c", ["a=b=c"]),
        ("/?&&a=1&&", ["a=1"]),
        ("/?a+b=c+%2B%26", ["a b=c +&"]),
        ("/?topic=a%2Fb?c", ["topic=a/b?c"]),
    ])
    func `a query is decoded as a form`(_ target: String, _ pairs: [String]) throws {
        #expect(try Request(.get, target).query.pairs.map { "\($0.name)=\($0.value)" } == pairs)
    }

    @Test(arguments: [
        ("/%", MalformedTarget.badEscape), ("/%4", .badEscape), ("/%4g", .badEscape), ("/?a=%", .badEscape),
        ("/%00", .escapedNUL), ("/?%00", .escapedNUL), ("/%ff", .notUTF8), ("/%C3", .notUTF8),
        ("/%ED%A0%80", .notUTF8), ("/%C0%AF", .notUTF8), ("/a b", .badCharacter), ("/a#b", .badCharacter),
        ("/\u{E9}", .badCharacter), ("/\u{7F}", .badCharacter), ("", .badForm), ("a", .badForm),
        ("*", .badForm), ("?a", .badForm), ("http:///a", .badForm), ("http://u@h/", .badForm),
        ("ftp://h/", .badForm), ("host:80", .badForm),
    ])
    func `a malformed target is refused with its reason`(_ target: String, _ reason: MalformedTarget) {
        #expect(throws: reason) { try Request(.get, target) }
    }

    @Test func `the asterisk is for OPTIONS`() throws {
        let request = try Request(.options, "*")
        #expect(request.target == "*")
        #expect(request.path == [])
    }

    @Test func `the authority of the target goes before the Host field`() throws {
        #expect(try Request(.get, "http://a:1/", headers: ["Host": "b"]).authority == "a:1")
        #expect(try Request(.get, "/", headers: ["Host": "b"]).authority == "b")
        #expect(try Request(.get, "/").authority == nil)
    }

    @Test func `a query is looked up by name`() throws {
        let query = try Request(.get, "/?a=1&b=2&a=3").query
        #expect(query["a"] == "1")
        #expect(query.values(of: "a") == ["1", "3"])
        #expect(query["c"] == nil)
    }
}
