import HTTPServer

/// Keeps pages of other origins from using the API through a visitor's browser.
///
/// Three ways in are closed: cross-site requests (Origin, and Sec-Fetch-Site of the Fetch Metadata draft), forms that
/// post without a preflight (a body must be JSON), and DNS rebinding (the Host must be a name this server goes by).
/// Clients that are no browsers send neither Origin nor Sec-Fetch-Site and are not affected.
struct RequestGuard: Sendable {
    /// Lower case, without a port.
    let allowedHosts: Set<String>
    let allowedOrigins: Set<String>

    /// Nil when the request may pass.
    func refusal(of request: Request) -> Problem? {
        if let authority = request.authority, !isOwnName(authority) {
            return .forbidden(
                "This server does not go by the name \"\(authority)\". Allow it with --allowed-host if it should.")
        }
        if let origin = request.headers["Origin"] {
            guard isSameOrigin(origin, request) || allowedOrigins.contains(origin) else {
                return .forbidden(
                    "Pages of \(origin) may not use this server. Allow them with --allowed-origin if they should.")
            }
        } else if isCrossSite(request), !isNavigation(request) {
            return .forbidden("Pages of other sites may not use this server.")
        }
        if !request.body.isEmpty, !isJSON(request.headers["Content-Type"]) { return .unsupportedMediaType() }
        return nil
    }

    /// The origin to name in the answer's CORS fields; nil for none.
    func corsOrigin(of request: Request) -> String? {
        request.headers["Origin"].flatMap { allowedOrigins.contains($0) ? $0 : nil }
    }

    /// An IP address can't be rebound to another machine, so any will do.
    private func isOwnName(_ authority: String) -> Bool {
        let host = hostName(of: authority)
        return allowedHosts.contains(host) || host == "localhost" || host.hasSuffix(".localhost")
            || isAddress(host)
    }

    private func hostName(of authority: String) -> String {
        let authority = authority.lowercased()
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority[..<(authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex)])
    }

    private func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { $0.utf8.count <= 3 && UInt8($0) != nil }
    }

    /// Behind a proxy that ends TLS the scheme of the page differs from ours; the authority does not.
    private func isSameOrigin(_ origin: String, _ request: Request) -> Bool {
        guard let authority = request.authority?.lowercased() else { return false }
        return origin.lowercased() == "http://" + authority || origin.lowercased() == "https://" + authority
    }

    private func isCrossSite(_ request: Request) -> Bool {
        switch request.headers["Sec-Fetch-Site"] {
        case nil, "same-origin", "none": false
        default: true
        }
    }

    /// Following a link from elsewhere to the page.
    private func isNavigation(_ request: Request) -> Bool {
        (request.method == .get || request.method == .head) && request.headers["Sec-Fetch-Mode"] == "navigate"
    }

    private func isJSON(_ contentType: String?) -> Bool {
        let type = contentType?.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return type == "application/json"
    }
}
