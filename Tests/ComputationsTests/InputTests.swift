import Jobs
import Primitives
import Testing

@testable import Computations

@Suite struct InputTests {
    private let computation = SquareRootSum()

    /// The field that is blamed; nil when the input is taken.
    private func blamedField(_ input: JSONValue) -> String? {
        do throws(InputError) {
            _ = try computation.validate(input)
            return nil
        } catch {
            #expect(!error.message.isEmpty)
            return error.field
        }
    }

    @Test func `terms alone are enough`() throws {
        #expect(try computation.validate(["terms": 4]) == .init(terms: 4, checkEvery: 4_096))
        #expect(try computation.validate(["terms": 0]) == .init(terms: 0, checkEvery: 4_096))
        #expect(try computation.validate(["terms": 9, "checkEvery": 1]) == .init(terms: 9, checkEvery: 1))
    }

    @Test func `the largest integers are taken`() throws {
        let largest: JSONValue = .integer(.max)
        let work = try computation.validate(["terms": largest, "checkEvery": largest])
        #expect(work == .init(terms: .max, checkEvery: .max))
    }

    /// JSON Schema: a number with a zero fraction is an integer.
    @Test func `a whole number is an integer however it is written`() throws {
        #expect(try computation.validate(["terms": 4.0]).terms == 4)
        #expect(try computation.validate(["terms": 1e6, "checkEvery": 8.0]) == .init(terms: 1_000_000, checkEvery: 8))
        #expect(try computation.validate(["terms": -0.0]).terms == 0)
    }

    @Test(
        arguments: [
            .integer(-1), .integer(.min), .number(-0.5), .number(0.5), .number(4.000000001), .number(-1e300),
            .number(1e19), .number(0x1p63), .number(1e300), .number(.infinity), .number(.nan), .null, .bool(true),
            .string("4"), .string(""), .array([4]), .array([]), .object(["terms": 4]),
        ] as [JSONValue])
    func `anything but a non-negative integer is refused`(_ terms: JSONValue) {
        #expect(blamedField(["terms": terms]) == "terms")
        #expect(blamedField(["terms": 4, "checkEvery": terms]) == "checkEvery")
    }

    @Test func `checkEvery is positive`() { #expect(blamedField(["terms": 4, "checkEvery": 0]) == "checkEvery") }

    @Test func `terms are required`() {
        #expect(blamedField([:]) == "terms")
        #expect(blamedField(["checkEvery": 1]) == "terms")
    }

    @Test func `a member that is not known is named`() {
        #expect(blamedField(["terms": 4, "term": 4]) == "term")
        #expect(blamedField(["Terms": 4]) == "Terms")
        #expect(blamedField(["terms": 4, "": 4]) == "")
    }

    @Test(
        arguments: [.null, .bool(false), .integer(4), .number(4.5), .string("terms"), .array([["terms": 4]])]
            as [JSONValue])
    func `only an object is an input`(_ input: JSONValue) { #expect(blamedField(input) == "") }

    /// What the schema promises is what is checked.
    @Test func `the schema names the same bounds`() {
        let schema = computation.inputSchema
        #expect(schema["required"] == ["terms"])
        #expect(schema["additionalProperties"] == false)
        #expect(schema["properties"]?["terms"]?["minimum"] == 0)
        #expect(schema["properties"]?["terms"]?["maximum"] == .integer(.max))
        #expect(schema["properties"]?["checkEvery"]?["minimum"] == 1)
        #expect(schema["properties"]?["checkEvery"]?["default"] == 4_096)
    }

    @Test func `the registry offers the kind with its schema`() {
        let registry = KindRegistry([computation])
        #expect(registry.entries.map(\.kind) == ["square-root-sum"])
        #expect(registry.entries.first?.inputSchema == computation.inputSchema)
    }
}
