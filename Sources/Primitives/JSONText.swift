extension JSONValue {
    /// The value as compact JSON text in UTF-8 (RFC 8259). Members are sorted by name, so that equal values have
    /// equal text. A number without a fraction that fits 64 bits is written as an integer, as most writers do and as
    /// readers give it back; negative zero is `0`. JSON has no word for infinities and NaN: they become `null`.
    public var text: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value):
            if let whole = Int64(exactly: value) { return bytes.append(contentsOf: String(whole).utf8) }
            bytes.append(contentsOf: (value.isFinite ? String(value) : "null").utf8)
        case .string(let value): bytes.append(jsonString: value)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, (name, value)) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(jsonString: name)
                bytes.append(UInt8(ascii: ":"))
                value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension [UInt8] {
    /// Appends a string in quotes. Escapes what RFC 8259, section 7, demands and no more.
    mutating func append(jsonString string: String) {
        append(UInt8(ascii: "\""))
        var string = string
        // Nearly all strings need no escaping: found out in one pass, they are copied in one go.
        let isPlain = string.withUTF8 { text in
            let isPlain = unsafe !text.contains(where: needsEscape)
            if isPlain { unsafe append(contentsOf: text) }
            return isPlain
        }
        if !isPlain {
            for byte in string.utf8 { append(jsonEscaped: byte) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(jsonEscaped byte: UInt8) {
        guard needsEscape(byte) else { return append(byte) }
        guard byte < 0x20 else { return append(contentsOf: [UInt8(ascii: "\\"), byte]) }
        append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
        append(contentsOf: String(byte, radix: 16).utf8)
    }
}

private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}
