import Primitives
import Testing

struct JSONWriterTests {
    private func text(_ members: (inout JSONWriter) -> Void) -> String {
        String(decoding: JSONWriter.object(members), as: UTF8.self)
    }

    @Test func `members stand in the order in which they are written, with commas between them`() {
        let written = text { json in
            json.member("b", 1)
            json.member("a", true)
            json.object("none") { _ in }
            json.object("links") { json in
                json.member("self", "/x")
                json.member("up", "/")
            }
            json.array("numbers", [1, -2]) { $1.value($0) }
            json.array("empty", [Int]()) { $1.value($0) }
            json.array("objects", ["p", "q"]) { name, json in json.object { $0.member("name", name) } }
            json.member("last", JSONValue.null)
        }
        #expect(
            written == #"{"b":1,"a":true,"none":{},"links":{"self":"/x","up":"/"},"numbers":[1,-2],"empty":[],"#
                + #""objects":[{"name":"p"},{"name":"q"}],"last":null}"#)
    }

    @Test func `a member without a value is left out, its comma too`() {
        let written = text { json in
            json.member("a", String?.none)
            json.member("b", Int?.none)
            json.member("c", 3)
            json.member("d", JSONValue?.none)
            json.member("e", UniqueID?.none)
            json.member("f", Timestamp?.none)
        }
        #expect(written == #"{"c":3}"#)
        #expect(text { $0.member("a", Bool?.none) } == "{}")
    }

    @Test func `IDs and times are written as they read`() {
        let (id, time) = (UniqueID.random(), Timestamp(millisecondsSinceEpoch: 1_709_164_799_999))
        #expect(
            text { json in
                json.member("id", id)
                json.member("time", time)
            } == "{\"id\":\"\(id)\",\"time\":\"\(time)\"}")
    }

    @Test func `a string is escaped as a JSON value's is, wherever in it that is needed`() {
        let control = String(decoding: UInt8(0)...0x1F, as: UTF8.self)
        for string in ["", "plain", "\"", "a\"b", "\\", "é\u{1F600}\u{7F}", control, "x" + control + "y"] {
            let written = text { $0.member("s", string) }
            #expect(written == String(decoding: JSONValue.object(["s": .string(string)]).text, as: UTF8.self))
        }
        #expect(text { $0.member("s", "a\"\\\n\u{1F}é") } == #"{"s":"a\"\\\u000a\u001fé"}"#)
    }
}
