/// A complete answer.
public struct Response: Sendable {
    /// 200...599. 204 and 304 are sent without the body, 304 with its length.
    public var status: Int

    /// `Content-Length`, `Transfer-Encoding` and `Date` are the server's to write and are left out if
    /// set here; `Connection: close` ends the connection after the answer. CR, LF and NUL in a value
    /// become spaces (RFC 9110, section 5.5), so that no value can start a field of its own.
    public var headers: Headers

    /// Shared, not copied, when one array serves many answers. Left out for HEAD; its length is sent.
    public var body: [UInt8]

    public init(status: Int, headers: Headers = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension Response {
    /// UTF-8 text of the given content type.
    public init(
        status: Int = 200, contentType: String = "text/plain; charset=utf-8", text: some StringProtocol
    ) {
        self.init(status: status, headers: ["Content-Type": contentType], body: Array(text.utf8))
    }
}
