extension Request {
    /// Whether the client says that it has what `entityTag` names (If-None-Match: RFC 9110, section 13.1.2), so that 304
    /// is enough. The comparison is weak, as it has to be there.
    public func clientHas(_ entityTag: String) -> Bool {
        headers.values(of: "If-None-Match").flatMap { $0.split(separator: ",") }.contains { element in
            let tag = element.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return tag == "*" || opaque(tag) == opaque(entityTag[...])
        }
    }

    private func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}
