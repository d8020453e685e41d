extension JSONValue {
    /// The value of a JSON text (RFC 8259); nil for anything else, for text that is no UTF-8, for a member that is named
    /// twice, and for values nested more than 128 levels deep.
    ///
    /// For text that a program of ours wrote. A number without a fraction that fits 64 bits becomes an integer, however it
    /// is spelled, so that a value that ``text`` wrote comes back with the same text.
    public init?(text: [UInt8]) {
        var reader = JSONReader(text)
        guard let value = reader.readDocument() else { return nil }
        self = value
    }
}

/// Reads one value from bytes, without recursion beyond its bound.
private struct JSONReader {
    static let maxDepth = 128

    private let text: [UInt8]
    private var index = 0
    private var depth = 0

    init(_ text: [UInt8]) { self.text = text }

    mutating func readDocument() -> JSONValue? {
        guard let value = readValue() else { return nil }
        skipSpace()
        // Not `? value : nil`: that `nil` would be the JSON value null.
        guard index == text.count else { return nil }
        return value
    }

    private var next: UInt8? { index < text.count ? text[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// Passes over the byte if it comes next, whatever space is before it.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func readValue() -> JSONValue? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return nested { $0.readObject() }
        case UInt8(ascii: "["): return nested { $0.readArray() }
        case UInt8(ascii: "\""): return readString().map(JSONValue.string)
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return readNumber()
        }
    }

    private mutating func nested(_ read: (inout JSONReader) -> JSONValue?) -> JSONValue? {
        guard depth < Self.maxDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        index += 1
        return read(&self)
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
        guard text[index...].starts(with: word.description.utf8) else { return nil }
        index += word.utf8CodeUnitCount
        return value
    }

    private mutating func readArray() -> JSONValue? {
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            guard let element = readValue() else { return nil }
            elements.append(element)
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { return nil }
        return .array(elements)
    }

    private mutating func readObject() -> JSONValue? {
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard let name = readString(), take(UInt8(ascii: ":")), let value = readValue(),
                members.updateValue(value, forKey: name) == nil
            else { return nil }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { return nil }
        return .object(members)
    }

    // MARK: Numbers

    private mutating func readNumber() -> JSONValue? {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        let whole = takeDigits()
        guard whole == 1 || whole > 1 && text[index - whole] != UInt8(ascii: "0") else { return nil }
        var isInteger = true
        if next == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            guard takeDigits() > 0 else { return nil }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isInteger = false
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard takeDigits() > 0 else { return nil }
        }
        let digits = String(decoding: text[start..<index], as: UTF8.self)
        if isInteger, let value = Int64(digits) { return .integer(value) }
        guard let value = Double(digits), value.isFinite else { return nil }
        return Int64(exactly: value).map(JSONValue.integer) ?? .number(value)
    }

    /// - Returns: how many there were.
    private mutating func takeDigits() -> Int {
        let start = index
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
        return index - start
    }

    // MARK: Strings

    private mutating func readString() -> String? {
        guard next == UInt8(ascii: "\"") else { return nil }
        index += 1
        let start = index
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { return nil }
            index += 1
        }
        if next == UInt8(ascii: "\"") {
            index += 1
            return String(validating: text[start..<index - 1], as: UTF8.self)
        }
        return readEscapedString(text[start..<index])
    }

    /// The rest of a string from its first escape on.
    private mutating func readEscapedString(_ plain: ArraySlice<UInt8>) -> String? {
        var bytes = Array(plain)
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = readEscape() else { return nil }
                bytes.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
            case 0x20...: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func readEscape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return readCodeUnits()
        default: return nil
        }
    }

    /// One code unit of UTF-16 by its four digits, or two that make a pair; a half of a pair alone is no text.
    private mutating func readCodeUnits() -> Unicode.Scalar? {
        guard let first = readCodeUnit() else { return nil }
        guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
        guard next == UInt8(ascii: "\\") else { return nil }
        index += 1
        guard next == UInt8(ascii: "u") else { return nil }
        index += 1
        guard let second = readCodeUnit(), 0xDC00..<0xE000 ~= second else { return nil }
        return Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func readCodeUnit() -> UInt32? {
        guard index + 4 <= text.count else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = text[index].hexadecimalDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}
