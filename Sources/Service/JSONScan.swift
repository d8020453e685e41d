/// Why a text is not JSON as this server reads it.
enum JSONScanError: Error {
    /// Not of the grammar of RFC 8259; found at this offset, in bytes.
    case malformed(offset: Int)
    case tooDeep
}

/// A strict reading of JSON text (RFC 8259) that makes no values of it.
///
/// The decoder that makes them takes more than JSON (commas too many, UTF-16, a byte order mark) and drops repeated
/// members. It also rounds numbers; whoever passes a value on needs its text.
struct JSONScan {
    /// Members of all objects in the text, repeated ones too.
    private(set) var memberCount = 0
    /// If the whole is an object: the text of its members' names, between the quotes, and of their values.
    private(set) var outerMembers: [(name: Range<Int>, value: Range<Int>)] = []

    /// The text has something that only the decoder can judge: a name that is spelled with escapes or may be there
    /// twice, a code unit by its number, a number that may be out of range, or text beyond ASCII.
    private(set) var needsDecoder = false

    private let text: [UInt8]
    private let maxDepth: Int
    private var position = 0

    /// - Parameter maxDepth: levels of arrays and objects.
    init(_ text: [UInt8], maxDepth: Int) throws(JSONScanError) {
        self.text = text
        self.maxDepth = maxDepth
        skipSpace()
        try skipValue(depth: 0)
        skipSpace()
        guard position == text.count else { throw .malformed(offset: position) }
    }

    /// The text of the outermost object's member of this name, as it was written.
    func text(ofMember name: String) -> ArraySlice<UInt8>? {
        outerMembers.first { text[$0.name].elementsEqual(name.utf8) }.map { text[$0.value] }
    }

    /// Between the quotes, if the member's value is a string without escapes.
    func plainString(ofMember name: String) -> ArraySlice<UInt8>? {
        guard let value = text(ofMember: name), value.first == UInt8(ascii: "\"") else { return nil }
        let content = value.dropFirst().dropLast()
        return content.contains(UInt8(ascii: "\\")) ? nil : content
    }

    // MARK: Structure

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipValue(depth: Int) throws(JSONScanError) {
        switch next {
        case UInt8(ascii: "{"): try skipObject(depth: depth + 1)
        case UInt8(ascii: "["): try skipArray(depth: depth + 1)
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skip("true")
        case UInt8(ascii: "f"): try skip("false")
        case UInt8(ascii: "n"): try skip("null")
        default: try skipNumber()
        }
    }

    private mutating func skipObject(depth: Int) throws(JSONScanError) {
        guard depth <= maxDepth else { throw .tooDeep }
        position += 1
        skipSpace()
        if skipIfNext(UInt8(ascii: "}")) { return }
        var names: [Range<Int>] = []
        repeat {
            skipSpace()
            let name = position
            try skipString()
            let nameEnd = position
            skipSpace()
            guard skipIfNext(UInt8(ascii: ":")) else { throw .malformed(offset: position) }
            skipSpace()
            let value = position
            try skipValue(depth: depth)
            memberCount += 1
            note(name + 1..<nameEnd - 1, after: names)
            names.append(name + 1..<nameEnd - 1)
            if depth == 1 { outerMembers.append((name + 1..<nameEnd - 1, value..<position)) }
            skipSpace()
        } while skipIfNext(UInt8(ascii: ","))
        guard skipIfNext(UInt8(ascii: "}")) else { throw .malformed(offset: position) }
    }

    private mutating func note(_ name: Range<Int>, after others: [Range<Int>]) {
        // Comparing each with each is for small objects; in others the decoder finds repetitions.
        if others.count >= 16 || text[name].contains(UInt8(ascii: "\\"))
            || others.contains(where: { text[$0].elementsEqual(text[name]) })
        {
            needsDecoder = true
        }
    }

    private mutating func skipArray(depth: Int) throws(JSONScanError) {
        guard depth <= maxDepth else { throw .tooDeep }
        position += 1
        skipSpace()
        if skipIfNext(UInt8(ascii: "]")) { return }
        repeat {
            skipSpace()
            try skipValue(depth: depth)
            skipSpace()
        } while skipIfNext(UInt8(ascii: ","))
        guard skipIfNext(UInt8(ascii: "]")) else { throw .malformed(offset: position) }
    }

    private mutating func skipIfNext(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    // MARK: Scalars

    private mutating func skip(_ word: StaticString) throws(JSONScanError) {
        let end = position + word.utf8CodeUnitCount
        let isThere = end <= text.count && word.withUTF8Buffer { text[position..<end].elementsEqual($0) }
        guard isThere else { throw .malformed(offset: position) }
        position = end
    }

    /// UTF-8 and the halves of surrogate pairs are the decoder's to check.
    private mutating func skipString() throws(JSONScanError) {
        guard skipIfNext(UInt8(ascii: "\"")) else { throw .malformed(offset: position) }
        while let byte = next, byte >= 0x20 {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try skipEscape()
            case 0x80...: needsDecoder = true
            default: break
            }
        }
        throw .malformed(offset: position)
    }

    private mutating func skipEscape() throws(JSONScanError) {
        switch next {
        case UInt8(ascii: "u"):
            needsDecoder = true
            position += 1
            for _ in 0..<4 {
                guard let byte = next, isHexadecimalDigit(byte) else { throw .malformed(offset: position) }
                position += 1
            }
        case .some(let byte) where "\"\\/bfnrt".utf8.contains(byte): position += 1
        default: throw .malformed(offset: position)
        }
    }

    private mutating func skipNumber() throws(JSONScanError) {
        let start = position
        // No number of 300 digits and no exponent is beyond a double.
        defer { if position - start > 300 { needsDecoder = true } }
        _ = skipIfNext(UInt8(ascii: "-"))
        if !skipIfNext(UInt8(ascii: "0")) { try skipDigits() }
        if skipIfNext(UInt8(ascii: ".")) { try skipDigits() }
        if skipIfNext(UInt8(ascii: "e")) || skipIfNext(UInt8(ascii: "E")) {
            needsDecoder = true
            if !skipIfNext(UInt8(ascii: "+")) { _ = skipIfNext(UInt8(ascii: "-")) }
            try skipDigits()
        }
    }

    /// At least one.
    private mutating func skipDigits() throws(JSONScanError) {
        let start = position
        while let byte = next, 0x30...0x39 ~= byte { position += 1 }
        guard position > start else { throw .malformed(offset: position) }
    }
}

private func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        true
    default: false
    }
}
