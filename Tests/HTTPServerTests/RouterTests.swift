import HTTPServer
import Testing

@Suite struct RouterTests {
    private let router: Router = {
        var router = Router()
        func add(_ method: Method, _ pattern: String, _ names: [String] = []) {
            router.on(method, pattern) { _, parameters in
                let values = names.map { "\($0)=\(parameters[$0])" }
                return .now(Response(text: ([method.rawValue, pattern] + values).joined(separator: " ")))
            }
        }
        add(.get, "/")
        // Broad ones first: the order of adding must not matter.
        add(.get, "/v1/streams/{topic...}", ["topic"])
        add(.post, "/v1/streams/{topic...}", ["topic"])
        add(.post, "/v1/streams/{topic...}/start", ["topic"])
        add(.get, "/v1/streams")
        add(.get, "/v1/jobs/{jobID}", ["jobID"])
        add(.put, "/v1/jobs/{jobID}", ["jobID"])
        add(.get, "/v1/jobs/search")
        add(.get, "/v1/jobs/{jobID}/runs/{runID}", ["jobID", "runID"])
        add(.head, "/v1/heads")
        add(.get, "/v1/heads")
        return router
    }()

    private func answer(_ method: Method, _ target: String) throws -> Response {
        guard case .now(let response) = router.respond(to: try Request(method, target)) else {
            throw MalformedTarget.badForm
        }
        return response
    }

    private func text(_ method: Method, _ target: String) throws -> String {
        String(decoding: try answer(method, target).body, as: UTF8.self)
    }

    @Test(arguments: [
        ("/", "GET /"),
        ("/v1/streams", "GET /v1/streams"),
        ("/v1/streams/ticks", "GET /v1/streams/{topic...} topic=ticks"),
        ("/v1/streams/feeds/ads", "GET /v1/streams/{topic...} topic=feeds/ads"),
        ("/v1/streams/feeds%2Fads", "GET /v1/streams/{topic...} topic=feeds/ads"),
        ("/v1/jobs/search", "GET /v1/jobs/search"),
        ("/v1/jobs/a%20b?c", "GET /v1/jobs/{jobID} jobID=a b"),
        ("/v1/jobs/a/runs/b", "GET /v1/jobs/{jobID}/runs/{runID} jobID=a runID=b"),
    ])
    func `the narrowest pattern answers`(_ target: String, _ expected: String) throws {
        #expect(try text(.get, target) == expected)
    }

    @Test func `a literal behind a wide hole goes before the hole`() throws {
        let start = "POST /v1/streams/{topic...}/start"
        #expect(try text(.post, "/v1/streams/feeds/ads/start") == "\(start) topic=feeds/ads")
        #expect(try text(.post, "/v1/streams/start/start") == "\(start) topic=start")
        #expect(try text(.post, "/v1/streams/start") == "POST /v1/streams/{topic...} topic=start")
        #expect(try answer(.get, "/v1/streams/ticks/start").headers["Allow"] == "POST")
    }

    @Test(arguments: [
        "/v1", "/v1/jobs", "/v1/jobs/", "/v1/jobs//runs/b", "/v1/jobs/a/runs", "/v1/jobs/a/", "/V1/streams",
        "/v1/streams/", "/v1/streams//a", "//", "/v1/jobs/a/runs/b/c",
    ])
    func `nothing matches an empty segment, a part or an excess`(_ target: String) throws {
        #expect(try answer(.get, target).status == 404)
    }

    @Test func `a missing method is 405 with what is allowed`() throws {
        let response = try answer(.delete, "/v1/jobs/a")
        #expect(response.status == 405)
        #expect(response.headers["Allow"] == "GET, HEAD, PUT")
        #expect(try answer(.post, "/v1/jobs/search").headers["Allow"] == "GET, HEAD")
        #expect(try answer("get", "/").status == 405)
    }

    @Test func `HEAD goes to its own responder, else to that of GET`() throws {
        #expect(try text(.head, "/v1/heads") == "HEAD /v1/heads")
        #expect(try text(.head, "/v1/jobs/search") == "GET /v1/jobs/search")
    }

    @Test func `what nothing matches goes to otherwise`() throws {
        var router = router
        router.otherwise = { _ in .now(Response(status: 204)) }
        guard case .now(let response) = router.respond(to: try Request(.delete, "/x")) else { return }
        #expect(response.status == 204)
    }
}
