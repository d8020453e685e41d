/// Finds who answers a request by its path and method.
///
/// The narrowest pattern that matches the path decides alone: `/v1/jobs/search` before
/// `/v1/jobs/{jobID}`, `/v1/streams/{topic...}/start` before `/v1/streams/{topic...}`. A path that no
/// pattern matches goes to `otherwise`, which answers 404 unless it is replaced. A method that the
/// pattern lacks is answered with 405 and Allow. HEAD is served by GET, its body being left out later.
public struct Router: Sendable {
    public typealias Responder = @Sendable (Request, PathParameters) -> Reply

    private struct Route {
        let pattern: RoutePattern
        var responders: [Method: Responder]
    }

    /// From narrow to broad.
    private var routes: [Route] = []

    /// Answers what no pattern matches, with any method.
    public var otherwise: @Sendable (Request) -> Reply = { _ in .now(Router.notFound.response) }

    public init() {}

    /// Adds a route. A bad pattern or a second responder for one pattern and method is a programmer's
    /// mistake.
    ///
    /// - Parameter pattern: see the type; for instance `/v1/jobs/{jobID}/runs/{runID}`.
    public mutating func on(_ method: Method, _ pattern: String, _ respond: @escaping Responder) {
        let pattern = RoutePattern(pattern)
        if let index = routes.firstIndex(where: { $0.pattern.segments == pattern.segments }) {
            precondition(routes[index].responders[method] == nil, "two responders for one route")
            routes[index].responders[method] = respond
        } else {
            let index = routes.firstIndex { pattern.isNarrower(than: $0.pattern) } ?? routes.endIndex
            routes.insert(Route(pattern: pattern, responders: [method: respond]), at: index)
        }
    }

    /// The answer of the route, 405, or what `otherwise` says. Any thread.
    public func respond(to request: Request) -> Reply {
        for route in routes where route.pattern.takes(segmentCount: request.path.count) {
            guard let parameters = route.pattern.match(request.path) else { continue }
            if let respond = route.responders[request.method] { return respond(request, parameters) }
            if request.method == .head, let respond = route.responders[.get] {
                return respond(request, parameters)
            }
            return .now(Router.methodNotAllowed(allowed: Array(route.responders.keys)).response)
        }
        return otherwise(request)
    }

    /// 404, for a path or a thing that does not exist.
    public static let notFound = Problem(
        404, type: "/problems/not-found", title: "Not found", detail: "Nothing is served at this path.")

    /// 405 with Allow (RFC 9110, section 15.5.6). HEAD is added to GET.
    public static func methodNotAllowed(allowed: [Method]) -> Problem {
        var names = allowed.map(\.rawValue)
        if names.contains("GET"), !names.contains("HEAD") { names.append("HEAD") }
        let list = names.sorted().joined(separator: ", ")
        return Problem(
            405, type: "/problems/method-not-allowed", title: "Method not allowed",
            detail: "Use one of: \(list).", headers: ["Allow": list])
    }
}
