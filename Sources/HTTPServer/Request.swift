/// One complete request, its body read and its target decoded.
///
/// A request that reaches the application is well formed: the framing is unambiguous (RFC 9112,
/// section 6), the target decodes strictly, there is exactly one Host (HTTP/1.1), the head and the
/// body lie within their bounds. Everything else was refused before.
public struct Request: Sendable {
    public let method: Method

    /// The request target as it was sent.
    public let target: String

    /// The percent-decoded segments of the path: `/v1/a%2Fb` is `["v1", "a/b"]`, `/` is empty,
    /// and a trailing slash leaves an empty last segment. `.` and `..` are kept as they are.
    public let path: [String]

    /// The pairs of the query in order, decoded as a form is (`+` is a space).
    public let query: Query

    public let headers: Headers

    /// At most `HTTPServerConfiguration.maxBodyBytes` long.
    public let body: [UInt8]

    /// The minor version x of HTTP/1.x.
    public let minorVersion: Int

    /// The host and port that the client addressed: the authority of an absolute-form target if there
    /// is one (RFC 9112, section 3.2.2), else the Host header.
    public let authority: String?

    /// Makes a request of parts, for tests that need no connection.
    ///
    /// Throws: `MalformedTarget`, as the server would refuse it.
    public init(
        _ method: Method, _ target: String, headers: Headers = [:], body: [UInt8] = [],
        minorVersion: Int = 1
    ) throws(MalformedTarget) {
        let parsed = try RequestTarget(target, method: method)
        self.method = method
        self.target = target
        path = parsed.path
        query = parsed.query
        self.headers = headers
        self.body = body
        self.minorVersion = minorVersion
        authority = parsed.authority ?? headers["Host"]
    }
}
