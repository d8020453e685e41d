import Primitives
import Testing

@testable import Hub

@Suite struct EncodingTests {
    private func text(of data: String, name: String? = nil) throws -> String {
        let event = try NewEvent(name: name, data: data.utf8)
        return String(decoding: event.fields, as: UTF8.self)
    }

    @Test(arguments: ["a\nb", "a\rb", "a\r\nb"]) func `each kind of line end splits the data`(data: String)
        throws
    {
        #expect(try text(of: data) == "data: a\ndata: b\n\n")
    }

    @Test func `LF before CR is two line ends`() throws {
        #expect(try text(of: "a\n\rb") == "data: a\ndata: \ndata: b\n\n")
    }

    @Test func `empty data is one empty line`() throws { #expect(try text(of: "") == "data: \n\n") }

    @Test func `a trailing line end is kept`() throws {
        #expect(try text(of: "a\n") == "data: a\ndata: \n\n")
        #expect(try text(of: "a\r\n") == "data: a\ndata: \n\n")
        #expect(try text(of: "\n") == "data: \ndata: \n\n")
    }

    @Test func `a leading space survives the parser`() throws {
        var parser = EventStreamParser()
        #expect(parser.feed(try text(of: "  a").utf8).map(\.data) == ["  a"])
    }

    @Test func `text beyond ASCII passes as it is`() throws {
        #expect(try text(of: "é 漢字 🏃‍♀️\u{2028}\u{85}") == "data: é 漢字 🏃‍♀️\u{2028}\u{85}\n\n")
    }

    @Test func `the name comes first`() throws {
        #expect(try text(of: "1", name: "progress") == "event: progress\ndata: 1\n\n")
    }

    @Test(arguments: ["", "a\nb", "a\rb", "a\0b", "\n", String(repeating: "a", count: 129)])
    func `an event name that would break the stream is refused`(name: String) {
        #expect(throws: HubError.invalidEventName(name)) { try NewEvent(name: name, data: "1".utf8) }
    }

    @Test(arguments: [
        "", "a\nb", "a\rb", "a\0b", "a b", "a/b", "é", "a\"b", "+1", String(repeating: "a", count: 129),
    ])
    func `an id outside the alphabet is refused`(id: String) {
        #expect(throws: HubError.invalidEventID(id)) { try NewEvent(data: "1".utf8, id: id) }
    }

    @Test(arguments: ["1-7", "Az09._-", String(repeating: "a", count: 128)])
    func `an id of the alphabet is taken`(id: String) throws {
        #expect(try NewEvent(data: "1".utf8, id: id).id == id)
    }

    @Test func `an event begins with its id`() throws {
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        hub.publish(try NewEvent(name: "n", data: "1\n2".utf8), to: topic)
        let frame = try #require(hub.take(follower.subscription.handle, maxBytes: 1).frames.first)
        #expect(
            String(decoding: frame.bytes[frame.textRange], as: UTF8.self)
                == "id: e-1\nevent: n\ndata: 1\ndata: 2\n\n")
    }
}
