/// Header fields as text, one after another; what the server itself decides is left out.
struct HeaderBlock {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    /// Whether the fields ask for the end of the connection.
    private(set) var closes = false
    private let afterName: String
    private let afterValue: String

    init(_ headers: Headers, afterName: String, afterValue: String) {
        self.afterName = afterName
        self.afterValue = afterValue
        bytes.reserveCapacity(256)
        for field in headers.fields { append(field) }
    }

    /// As the C layer takes them: name NUL value NUL ..., and one NUL at the end.
    static func terminated(_ headers: Headers) -> HeaderBlock {
        var block = HeaderBlock(headers, afterName: "\0", afterValue: "\0")
        block.bytes.append(0)
        return block
    }

    private mutating func append(_ field: Headers.Field) {
        precondition(isToken(field.name), "a field name must be a token (RFC 9110, section 5.6.2)")
        if ["Content-Length", "Transfer-Encoding", "Date"].contains(where: { sameName($0, field.name) }) { return }
        if sameName("Connection", field.name) {
            closes = closes || field.value.lowercased().contains("close")
            return
        }
        // libmicrohttpd refuses empty values.
        guard !field.value.isEmpty else { return }
        bytes.append(contentsOf: field.name.utf8)
        bytes.append(contentsOf: afterName.utf8)
        let valueStart = bytes.count
        bytes.append(contentsOf: field.value.utf8)
        for index in valueStart..<bytes.count where bytes[index] < 0x20 || bytes[index] == 0x7F {
            bytes[index] = UInt8(ascii: " ")
        }
        bytes.append(contentsOf: afterValue.utf8)
        count += 1
    }
}

/// RFC 9110, section 5.6.2.
func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isTokenByte) }

private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
        true
    default: "!#$%&'*+.^_`|~".utf8.contains(byte)
    }
}
