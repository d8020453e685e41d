import HTTPServer
import Primitives
import Testing

@Suite struct ProblemTests {
    @Test func `a problem tells its members as JSON`() {
        let problem = Problem(
            422, type: "/problems/bad-value", title: "A \"bad\" value",
            detail: "line\nbreak and \u{E9}\u{1}\\", members: ["field": "input.terms", "least": 0])
        let response = problem.response
        #expect(response.status == 422)
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(response.headers["Cache-Control"] == "no-store")
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text.contains(#""type":"/problems/bad-value""#))
        #expect(text.contains(#""title":"A \"bad\" value""#))
        #expect(text.contains(#""status":422"#))
        #expect(text.contains(#""field":"input.terms""#))
        #expect(text.contains(#""least":0"#))
        #expect(text.firstIndex(of: "\n") == text.indices.last)
        #expect(!text.contains("\u{1}"))
    }

    @Test func `no detail, no member`() {
        let text = String(decoding: Problem(404, type: "/t", title: "T").response.body, as: UTF8.self)
        #expect(!text.contains("detail"))
    }

    @Test func `its own header fields are kept`() {
        let problem = Problem(503, type: "/t", title: "T", headers: ["Retry-After": "3"])
        #expect(problem.response.headers["Retry-After"] == "3")
    }
}
