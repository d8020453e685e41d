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
        switch field.name.lowercased() {
        case "content-length", "transfer-encoding", "date":
            return
        case "connection":
            closes = closes || field.value.lowercased().contains("close")
            return
        default:
            break
        }
        // libmicrohttpd refuses empty values.
        guard !field.value.isEmpty else { return }
        bytes.append(contentsOf: field.name.utf8)
        bytes.append(contentsOf: afterName.utf8)
        bytes.append(contentsOf: field.value.utf8.lazy.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 })
        bytes.append(contentsOf: afterValue.utf8)
        count += 1
    }
}

/// RFC 9110, section 5.6.2.
func isToken(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
}
