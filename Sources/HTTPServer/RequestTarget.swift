/// Why a request target was refused. `rawValue` is a sentence for the client.
public enum MalformedTarget: String, Error, Sendable {
    case badEscape = "A % in the target must be followed by two hexadecimal digits."
    case escapedNUL = "The target must not contain %00."
    case notUTF8 = "The target must decode to UTF-8."
    case badCharacter = "The target has a character that must be percent-encoded."
    case badForm = "The target must be a path, an http URL, or * with OPTIONS."
}

/// A request target taken apart (RFC 9112, section 3.2).
struct RequestTarget {
    /// Of the absolute form only.
    let authority: String?
    let path: [String]
    let query: Query

    /// Takes the origin form, the absolute form, and the asterisk form with OPTIONS. There is no
    /// authority form: CONNECT is for proxies.
    init(_ target: String, method: Method) throws(MalformedTarget) {
        let bytes = Array(target.utf8)
        // Visible ASCII only, and no fragment: it is not part of a target.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .badCharacter
        }
        if bytes == [UInt8(ascii: "*")], method == .options {
            (authority, path, query) = (nil, [], Query(pairs: []))
            return
        }
        var rest = bytes[...]
        if rest.first == UInt8(ascii: "/") {
            authority = nil
        } else {
            rest = try RequestTarget.afterScheme(rest)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            let name = rest[..<(end ?? rest.endIndex)]
            guard !name.isEmpty, !name.contains(UInt8(ascii: "@")) else { throw .badForm }
            authority = String(decoding: name, as: UTF8.self)
            rest = rest[(end ?? rest.endIndex)...]
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        path = try RequestTarget.segments(of: rest[..<(mark ?? rest.endIndex)])
        query =
            try mark.map { mark throws(MalformedTarget) in
                try Query(decoding: rest[(mark + 1)...])
            } ?? Query(pairs: [])
    }

    private static func afterScheme(_ text: ArraySlice<UInt8>) throws(MalformedTarget) -> ArraySlice<UInt8> {
        for scheme in ["http://", "https://"] {
            let prefix = text.prefix(scheme.utf8.count).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
            if prefix == Array(scheme.utf8) { return text.dropFirst(scheme.utf8.count) }
        }
        throw .badForm
    }

    private static func segments(of path: ArraySlice<UInt8>) throws(MalformedTarget) -> [String] {
        guard path.count > 1 else { return [] }
        var segments: [String] = []
        // More than nearly all paths have: the array does not grow in steps.
        segments.reserveCapacity(8)
        var rest = path.dropFirst()
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            segments.append(try percentDecoded(rest[..<slash], plusIsSpace: false))
            rest = rest[(slash + 1)...]
        }
        segments.append(try percentDecoded(rest, plusIsSpace: false))
        return segments
    }
}
