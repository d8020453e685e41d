public import Primitives

/// An error as a client is told of it (RFC 9457, problem details).
///
/// It is an `Error`, so that a route may throw what it wants to answer.
public struct Problem: Error, Sendable {
    /// A stable URI reference for the kind of problem, absolute or from the root: `/problems/not-found`.
    public var type: String
    /// The kind in words, the same for each occurrence.
    public var title: String
    /// 400...599.
    public var status: Int
    /// What is wrong this time, and what to do.
    public var detail: String?
    /// Extension members in order, such as the offending `field`.
    public var members: [(name: String, value: JSONValue)]
    /// Header fields of the response besides its content type.
    public var headers: Headers

    public init(
        _ status: Int, type: String, title: String, detail: String? = nil,
        members: KeyValuePairs<String, JSONValue> = [:], headers: Headers = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.members = members.map { ($0.key, $0.value) }
        self.headers = headers
    }

    /// `application/problem+json`, not to be cached.
    public var response: Response {
        var object: [String: JSONValue] = [
            "type": .string(type), "title": .string(title), "status": .integer(Int64(status)),
        ]
        if let detail { object["detail"] = .string(detail) }
        object.merge(members.map { ($0.name, $0.value) }) { standard, _ in standard }
        var headers = headers
        headers["Content-Type"] = "application/problem+json"
        if headers["Cache-Control"] == nil { headers["Cache-Control"] = "no-store" }
        return Response(status: status, headers: headers, body: JSONValue.object(object).text + [UInt8(ascii: "\n")])
    }
}
