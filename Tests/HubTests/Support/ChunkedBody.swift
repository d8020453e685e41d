/// Takes the chunked transfer coding off a whole body (RFC 9112, section 7.1).
/// Nil when the framing is wrong or the last chunk is missing.
func unchunked(_ body: [UInt8]) -> [UInt8]? {
    var content: [UInt8] = []
    var rest = body[...]
    while let lineEnd = rest.firstIndex(of: 13) {
        guard let size = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16),
            rest.count >= (lineEnd - rest.startIndex) + 4 + size, rest[lineEnd + 1] == 10
        else { return nil }
        let start = lineEnd + 2
        guard Array(rest[(start + size)..<(start + size + 2)]) == [13, 10] else { return nil }
        content += rest[start..<(start + size)]
        rest = rest[(start + size + 2)...]
        if size == 0 { return rest.isEmpty ? content : nil }
    }
    return nil
}
