extension Response {
    /// The answer with its entity tag, as 304 for a client that says that it has what the tag names (If-None-Match:
    /// RFC 9110, section 13.1.2). Then the body is left out and only its length is told, as section 8.6 wants it.
    ///
    /// `no-cache` lets a client keep the answer, but ask each time whether it is still current.
    public func revalidated(for request: Request, entityTag: String) -> Response {
        var response = self
        response.headers["ETag"] = entityTag
        response.headers["Cache-Control"] = "no-cache"
        if request.clientHas(entityTag) {
            response.status = 304
            // Of what describes the body, no more than is needed to find it again (section 15.4.5).
            response.headers["Content-Type"] = nil
        }
        return response
    }
}

extension Request {
    /// The comparison is weak, as it has to be for If-None-Match.
    fileprivate func clientHas(_ entityTag: String) -> Bool {
        let fields = headers.values(of: "If-None-Match")
        // What nearly every request has: none, or the tag as it was given.
        if fields.isEmpty { return false }
        if fields[0] == entityTag { return true }
        return fields.flatMap { $0.split(separator: ",") }.contains { element in
            let tag = element.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return tag == "*" || opaque(tag) == opaque(entityTag[...])
        }
    }

    private func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}
