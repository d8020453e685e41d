import HTTPServer
import Testing

@testable import Service

struct RequestGuardTests {
    let guardian = RequestGuard(allowedHosts: ["runcast.example"], allowedOrigins: ["https://app.example"])

    private func status(
        _ method: Method = .post, headers: Headers, body: String = ""
    ) throws -> Int? {
        guardian.refusal(of: try Request(method, "/v1/jobs", headers: headers, body: Array(body.utf8)))?.status
    }

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST:1", "app.localhost", "127.0.0.1", "127.0.0.1:8080",
        "192.168.1.7:80", "[::1]:8080", "[fe80::1]", "runcast.example", "Runcast.Example:8080",
    ])
    func `the server goes by this name`(host: String) throws {
        #expect(try status(headers: ["Host": host]) == nil)
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "runcast.example.evil.example",
        "1.2.3", "1.2.3.4.5", "256.1.1.1", "0x7f.0.0.1", "", "[::1", "localhost.",
    ])
    func `a name that could be rebound is refused`(host: String) throws {
        #expect(try status(headers: ["Host": host]) == 403)
    }

    @Test func `a page of another origin can post nothing, with or without a body`() throws {
        let headers: Headers = ["Host": "localhost:8080", "Origin": "https://evil.example"]
        #expect(try status(headers: headers) == 403)
        #expect(try status(.get, headers: headers) == 403)
        #expect(try status(headers: ["Host": "localhost:8080", "Origin": "null"]) == 403)
        #expect(try status(headers: ["Host": "localhost:8080", "Origin": "http://localhost:9090"]) == 403)
    }

    @Test func `the server's own page may, also behind a proxy that ends TLS`() throws {
        #expect(try status(headers: ["Host": "localhost:8080", "Origin": "http://localhost:8080"]) == nil)
        #expect(try status(headers: ["Host": "runcast.example", "Origin": "https://runcast.example"]) == nil)
    }

    @Test func `an allowed origin may, and is told so`() throws {
        let headers: Headers = ["Host": "localhost", "Origin": "https://app.example"]
        #expect(try status(headers: headers) == nil)
        #expect(guardian.corsOrigin(of: try Request(.get, "/", headers: headers)) == "https://app.example")
        #expect(guardian.corsOrigin(of: try Request(.get, "/", headers: ["Origin": "https://x.example"])) == nil)
    }

    @Test func `fetch metadata is heeded where there is no Origin`() throws {
        for site in ["cross-site", "same-site"] {
            #expect(try status(.get, headers: ["Host": "localhost", "Sec-Fetch-Site": site]) == 403)
        }
        for site in ["same-origin", "none"] {
            #expect(try status(.get, headers: ["Host": "localhost", "Sec-Fetch-Site": site]) == nil)
        }
    }

    @Test func `a link from elsewhere leads to the page, but posts nothing`() throws {
        let headers: Headers = [
            "Host": "localhost", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
        ]
        #expect(try status(.get, headers: headers) == nil)
        #expect(try status(.post, headers: headers) == 403)
    }

    @Test(arguments: [
        nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/jsonp", "text/json",
    ])
    func `a body that a form could send is refused`(contentType: String?) throws {
        var headers: Headers = ["Host": "localhost"]
        headers["Content-Type"] = contentType
        #expect(try status(headers: headers, body: "{}") == 415)
        #expect(try status(headers: headers) == nil)
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/json ;charset=utf-8"])
    func `JSON is taken`(contentType: String) throws {
        #expect(try status(headers: ["Host": "localhost", "Content-Type": contentType], body: "{}") == nil)
    }
}
