import HTTPServer
import Testing

extension Live {
    @Suite struct Responses {
        private static func answer(_ response: Response) throws -> RawResponse {
            let server = HTTPServer { _ in .now(response) }
            let client = try RawClient(port: try server.start())
            return try client.get("/")
        }

        @Test func `a value can't start a field of its own`() async throws {
            try await blocking {
                let response = try Responses.answer(
                    Response(status: 200, headers: ["X": "a\r\nSet-Cookie: b\0c", "Y": "d"]))
                #expect(response["X"] == "a  Set-Cookie: b c")
                #expect(response["Set-Cookie"] == nil)
                #expect(response["Y"] == "d")
            }
        }

        @Test func `the server alone writes the framing`() async throws {
            try await blocking {
                let response = try Responses.answer(
                    Response(
                        status: 201,
                        headers: [
                            "Content-Length": "9", "Transfer-Encoding": "chunked", "Date": "now", "E": "",
                        ],
                        body: [65]))
                #expect(response.status == 201)
                #expect(response.text == "A")
                #expect(response["Content-Length"] == "1")
                #expect(response["Transfer-Encoding"] == nil)
                #expect(response["Date"]?.hasSuffix(" GMT") == true)
                #expect(response["E"] == nil)
            }
        }

        @Test func `fields keep their order and repeat`() async throws {
            try await blocking {
                let response = try Responses.answer(
                    Response(status: 304, headers: ["B": "1", "A": "2", "B": "3", "ETag": "\"e\""]))
                #expect(response.fields.filter { $0.name.count == 1 }.map(\.value) == ["1", "2", "3"])
                #expect(response["ETag"] == "\"e\"")
                #expect(response.body.isEmpty)
            }
        }

        @Test func `304 tells the length that 200 would have, sends no body and keeps the connection in step`()
            async throws
        {
            try await blocking {
                let server = HTTPServer { request in
                    .now(Response(text: "hello").revalidated(for: request, entityTag: "\"e\""))
                }
                let client = try RawClient(port: try server.start())
                for _ in 1...3 {
                    let unchanged = try client.get("/", fields: "If-None-Match: \"e\"\r\n")
                    #expect(unchanged.status == 304)
                    #expect(unchanged["Content-Length"] == "5")
                    #expect(unchanged["Content-Type"] == nil)
                    #expect(try client.get("/").text == "hello")
                }
            }
        }
    }
}
