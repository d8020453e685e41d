import HTTPServer
import Testing

extension Live {
    @Suite struct Starting {
        private func code(_ configure: (inout HTTPServerConfiguration) -> Void) -> HTTPServerError.Code? {
            var configuration = HTTPServerConfiguration()
            configure(&configuration)
            let server = HTTPServer(configuration: configuration) { _ in .now(Response(status: 200)) }
            do {
                _ = try server.start()
                return nil
            } catch {
                return error.code
            }
        }

        @Test func `a port in use is named`() async throws {
            let live = try LiveServer()
            var configuration = HTTPServerConfiguration()
            configuration.port = live.port
            let server = HTTPServer(configuration: configuration) { _ in .now(Response(status: 200)) }
            let error = #expect(throws: HTTPServerError.self) { try server.start() }
            #expect(error?.code == .portInUse)
            #expect(error?.detail.contains("port \(live.port)") == true)
        }

        @Test func `a host that is none, or not of this machine, is told apart`() {
            #expect(code { $0.host = "no host" } == .badHost)
            #expect(code { $0.host = "192.0.2.1" } == .badHost)
            #expect(code { $0.host = "::1" } != .startFailed)
            #expect(code { $0.host = "localhost" } == nil)
        }

        @Test func `values out of range are refused`() {
            #expect(code { $0.port = 65_536 } == .badConfiguration)
            #expect(code { $0.threads = 0 } == .badConfiguration)
            #expect(code { $0.connectionTimeoutSeconds = 0 } == .badConfiguration)
            #expect(code { $0.maxHeaderFields = 256 } == .badConfiguration)
        }

        @Test func `one thread serves as well as several`() async throws {
            try await blocking {
                for threads in [1, 2, 5] {
                    let live = try LiveServer { $0.threads = threads }
                    let clients = try (0..<10).map { _ in try live.client() }
                    for client in clients { #expect(try client.get("/soon/a").text == "a") }
                }
            }
        }

        @Test func `half-open clients are let go after the timeout and keep nobody out`() async throws {
            try await blocking {
                let live = try LiveServer { $0.connectionTimeoutSeconds = 1 }
                let silent = try (0..<20).map { _ in try live.client() }
                let halfway = try (0..<20).map { _ in
                    let client = try live.client()
                    client.send("GET /now HTTP/1.1\r\nHost:")
                    return client
                }
                #expect(try live.client().get("/now").text == "now")
                for client in silent + halfway { #expect(try client.receiveToEnd().isEmpty) }
            }
        }
    }
}
