import HTTPServer

/// A server on a free port of the loopback interface, with routes for tests.
final class LiveServer: Sendable {
    let server: HTTPServer
    let port: Int
    let streams: StreamLedger
    let gates: Gates

    init(_ configure: (inout HTTPServerConfiguration) -> Void = { _ in }) throws {
        var configuration = HTTPServerConfiguration()
        configuration.stopGraceMilliseconds = 10_000
        configure(&configuration)
        let streams = StreamLedger()
        let gates = Gates()
        let router = LiveServer.router(streams, gates)
        server = HTTPServer(configuration: configuration) { router.respond(to: $0) }
        port = try server.start()
        self.streams = streams
        self.gates = gates
    }

    deinit { server.stop() }

    func client() throws -> RawClient { try RawClient(port: port) }

    private static func router(_ streams: StreamLedger, _ gates: Gates) -> Router {
        var router = Router()
        router.on(.get, "/now") { _, _ in .now(Response(text: "now")) }
        router.on(.get, "/empty") { _, _ in .now(Response(status: 204)) }
        router.on(.post, "/echo") { request, _ in
            .now(Response(status: 200, headers: ["X-Count": "\(request.body.count)"], body: request.body))
        }
        router.on(.get, "/describe/{rest...}") { request, parameters in
            let query = request.query.pairs.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            let fields = request.headers.fields.map { "\($0.name):\($0.value.utf8.count)" }
            return .now(Response(text: "\(parameters["rest"])|\(query)|\(fields.joined(separator: ","))"))
        }
        router.on(.get, "/large/{count}") { _, parameters in
            .now(Response(status: 200, body: [UInt8](repeating: 120, count: Int(parameters["count"]) ?? 0)))
        }
        router.on(.get, "/soon/{name}") { _, parameters in
            let name = parameters["name"]
            return .later { .response(Response(text: name)) }
        }
        router.on(.get, "/later/{name}") { _, parameters in
            let name = parameters["name"]
            return .later {
                await gates.pass(name)
                return .response(Response(text: name))
            }
        }
        router.on(.get, "/called/{name}") { _, parameters in
            let name = parameters["name"]
            return .byCall { answer in
                Task {
                    await gates.pass(name)
                    answer(.response(Response(text: name)))
                    answer(.response(Response(text: "twice")))
                }
            }
        }
        router.on(.get, "/called-at-once/{name}") { _, parameters in
            let name = parameters["name"]
            return .byCall { $0(.response(Response(text: name))) }
        }
        router.on(.get, "/called-stream") { _, _ in .byCall { $0(.stream(streams.head())) } }
        router.on(.get, "/later-stream/{name}") { _, parameters in
            let name = parameters["name"]
            return .later {
                await gates.pass(name)
                return .stream(streams.head())
            }
        }
        router.on(.get, "/stream") { _, _ in .stream(streams.head()) }
        return router
    }
}
