import Primitives

/// Percent-decodes `text` (RFC 3986, section 2.1).
///
/// Throws: for a `%` without two hexadecimal digits, for `%00` (C code behind any server would end
/// the string there), and when the decoded bytes are not UTF-8.
func percentDecoded(
    _ text: some Collection<UInt8>, plusIsSpace: Bool
) throws(MalformedTarget) -> String {
    // Most text is plain, and ASCII is UTF-8.
    if text.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }) {
        return String(decoding: text, as: UTF8.self)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case UInt8(ascii: "%"):
            guard let high = rest.next()?.hexadecimalDigitValue,
                let low = rest.next()?.hexadecimalDigitValue
            else { throw .badEscape }
            guard high | low != 0 else { throw .escapedNUL }
            bytes.append(high << 4 | low)
        case UInt8(ascii: "+") where plusIsSpace:
            bytes.append(UInt8(ascii: " "))
        default:
            bytes.append(byte)
        }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
    return decoded
}
