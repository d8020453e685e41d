import Primitives

/// Writes JSON (RFC 8259). Small enough to spare this module Foundation: problems are all it writes.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func beginObject() {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func member(_ name: String, _ value: JSONValue) {
        separate()
        string(name)
        bytes.append(UInt8(ascii: ":"))
        self.value(value)
        needsComma = true
    }

    private mutating func value(_ value: JSONValue) {
        switch value {
        case .null: literal("null")
        case .bool(let value): literal(value ? "true" : "false")
        case .integer(let value): literal(String(value))
        // JSON has no word for infinities and NaN.
        case .number(let value): literal(value.isFinite ? String(value) : "null")
        case .string(let value): string(value)
        case .array(let elements): array(elements)
        case .object(let members):
            beginObject()
            // Sorted, since a dictionary's order differs from run to run.
            for (name, value) in members.sorted(by: { $0.key < $1.key }) { member(name, value) }
            endObject()
        }
    }

    private mutating func array(_ elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements {
            separate()
            value(element)
            needsComma = true
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func literal(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Escapes what section 7 demands and no more.
    private mutating func string(_ text: String) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                literal("\\u00")
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 0xF)])
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
