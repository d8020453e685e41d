import HTTPServer
import Testing

extension Live {
    @Suite struct AsyncAnswers {
        /// A route that answers by a call does so twice: only the first counts.
        @Test(arguments: ["later", "called"])
        func `answers given out of order reach their own clients`(route: String) async throws {
            try await blocking {
                let live = try LiveServer()
                let names = (0..<40).map { "n\($0)" }
                let clients = try names.map { name in
                    let client = try live.client()
                    client.send("GET /\(route)/\(name) HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client
                }
                #expect(live.gates.arrivals.wait { $0.arrived == 40 })
                for (name, client) in zip(names, clients).reversed() {
                    live.gates.open(name)
                    #expect(try client.receiveResponse().text == name)
                    #expect(try client.get("/now").text == "now")
                }
            }
        }

        @Test(arguments: ["soon", "called-at-once"])
        func `answers that race with the suspension all arrive`(route: String) async throws {
            try await blocking {
                let live = try LiveServer()
                let clients = try (0..<8).map { _ in try live.client() }
                for round in 0..<100 {
                    for client in clients {
                        client.send("GET /\(route)/\(round) HTTP/1.1\r\nHost: x\r\n\r\n")
                    }
                    for client in clients { #expect(try client.receiveResponse().text == "\(round)") }
                }
            }
        }

        @Test func `a stop answers what is pending with 503 and cancels its tasks`() async throws {
            try await blocking {
                let live = try LiveServer()
                let clients = try (0..<40).map { index in
                    let client = try live.client()
                    client.send("GET /later/\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client
                }
                #expect(live.gates.arrivals.wait { $0.arrived == 40 })
                live.server.stop()
                for client in clients {
                    let response = try client.receiveResponse()
                    #expect(response.status == 503)
                    #expect(response["Retry-After"] != nil)
                    #expect(try client.receiveToEnd().isEmpty)
                }
                #expect(live.gates.arrivals.wait { $0.cancelled == 40 })
            }
        }

        @Test func `answers and the stop race without harm`() async throws {
            try await blocking {
                for _ in 0..<30 {
                    let live = try LiveServer()
                    let clients = try (0..<12).map { _ in
                        let client = try live.client()
                        client.send("GET /later/all HTTP/1.1\r\nHost: x\r\n\r\n")
                        return client
                    }
                    #expect(live.gates.arrivals.wait { $0.arrived == 12 })
                    live.gates.open("all")
                    live.server.stop()
                    for client in clients {
                        let response = try client.receiveResponse()
                        #expect(response.status == 503 || response.text == "all")
                    }
                }
            }
        }

        @Test func `a client that leaves while its answer is prepared does no harm`() async throws {
            try await blocking {
                let live = try LiveServer()
                for index in 0..<20 {
                    let client = try live.client()
                    client.send("GET /later/left HTTP/1.1\r\nHost: x\r\n\r\n")
                    #expect(live.gates.arrivals.wait { $0.arrived == index + 1 })
                    index % 2 == 0 ? client.closeNow() : client.reset()
                }
                live.gates.open("left")
                #expect(try live.client().get("/now").text == "now")
                live.server.stop()
            }
        }

        @Test func `a late reply may be a stream`() async throws {
            try await blocking {
                let live = try LiveServer()
                let client = try live.client()
                client.send("GET /later-stream/a HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(live.gates.arrivals.wait { $0.arrived == 1 })
                live.gates.open("a")
                #expect(try client.receiveHead().status == 200)
                #expect(live.streams.waitForTaken(1))
                let left = try live.client()
                left.send("GET /later-stream/b HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(live.gates.arrivals.wait { $0.arrived == 2 })
                live.server.stop()
                live.gates.open("b")
                #expect(live.streams.waitForAbandoned(1))
                #expect(live.streams.isSettled)
            }
        }
    }
}
