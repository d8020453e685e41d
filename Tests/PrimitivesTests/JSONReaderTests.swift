import FoundationEssentials
import Primitives
import TestSupport
import Testing

struct JSONReaderTests {
    private func read(_ text: String) -> JSONValue? { JSONValue(text: Array(text.utf8)) }

    @Test(
        arguments: [
            ("null", nil), ("true", true), (" [ ] ", []), ("{}", [:]), ("-0", 0), ("0.5e1", 5), ("1e2", 100),
            ("1.5E-1", 0.15), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", 9_223_372_036_854_775_808.0), ("6.0", 6),
            ("[1,[2.5,{\"a\":[]}]]", [1, [2.5, ["a": []]]]),
            (#""\"\\\/\b\f\n\r\tA\u00e9\uD83D\ude00""#, "\"\\/\u{8}\u{C}\n\r\tAé\u{1F600}"),
            ("\"é\u{1F600}\"", "é\u{1F600}"),
            ("\n{ \"b\" : 1 ,\t\"a\" : \"\" }\r", ["a": "", "b": 1]),
        ] as [(String, JSONValue)])
    func `text becomes the value`(_ text: String, _ value: JSONValue) { #expect(read(text) == value) }

    @Test(arguments: [
        "", " ", "nul", "truex", "01", "-", "+1", ".5", "1.", "1e", "1e999", "[1,]", "[,1]", "[1 2]", "{\"a\"}",
        "{\"a\":}",
        "{a:1}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "\"", "\"\u{1F}\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
        "\"\\udc00\"", "\"\\ud800\\u0041\"", "[", "{", "1 1", "nan", "\u{FEFF}1",
    ])
    func `what is not JSON is nil`(_ text: String) { #expect(read(text) == nil) }

    @Test func `bytes that are no text are nil`() {
        #expect(JSONValue(text: [0x22, 0xC3, 0x22]) == nil)
        #expect(JSONValue(text: [0x22, 0x5C, 0x6E, 0xFF, 0x22]) == nil)
    }

    @Test func `depth is bounded, by a bound that does not end the process`() {
        let deep = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(read(deep(128)) != nil)
        #expect(read(deep(129)) == nil)
        #expect(read(String(repeating: "[", count: 1_000_000)) == nil)
    }

    @Test func `what is written is read back, with the same text, and as the toolchain's decoder reads it`() throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<2_000 {
            let value = anyValue(&random, depth: 4)
            let read = try #require(JSONValue(text: value.text))
            #expect(read.text == value.text)
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(value.text)) == read)
        }
    }

    private func anyValue(_ random: inout SplitMix, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random) {
        case 0: return nil
        case 1: return .bool(random.chance(oneIn: 2))
        case 2: return .integer(Int64(bitPattern: random.next()) >> Int.random(in: 0..<64, using: &random))
        case 3:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : 0.1)
        case 4: return .number(Double(Int.random(in: -1_000..<1_000, using: &random)))
        case 5: return .number(Double(Int.random(in: 0..<1_000, using: &random)) / 8)
        case 6: return .string(anyString(&random))
        case 7:
            return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in anyValue(&random, depth: depth - 1) })
        default:
            let members = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                (anyString(&random), anyValue(&random, depth: depth - 1))
            }
            return .object(Dictionary(members) { $1 })
        }
    }

    private func anyString(_ random: inout SplitMix) -> String {
        let scalars = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
            Unicode.Scalar(UInt32.random(in: 0..<(random.chance(oneIn: 2) ? 0x80 : 0x11_0000), using: &random)) ?? "x"
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
