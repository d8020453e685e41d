/// Percent-decodes `text` (RFC 3986, section 2.1).
///
/// Throws: for a `%` without two hexadecimal digits, for `%00` (C code behind any server would end
/// the string there), and when the decoded bytes are not UTF-8.
func percentDecoded(
    _ text: some Collection<UInt8>, plusIsSpace: Bool
) throws(MalformedTarget) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case UInt8(ascii: "%"):
            guard let high = rest.next().flatMap(hexadecimalDigit),
                let low = rest.next().flatMap(hexadecimalDigit)
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

func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
