import HTTPServer
import Primitives

extension Response {
    /// A JSON answer, ended by a newline for those who read it in a terminal; not to be stored by caches unless `headers` say otherwise.
    static func json(_ value: JSONValue, status: Int = 200, headers: Headers = [:]) -> Response {
        var headers = headers
        headers["Content-Type"] = "application/json"
        if headers["Cache-Control"] == nil { headers["Cache-Control"] = "no-store" }
        return Response(status: status, headers: headers, body: value.text + [UInt8(ascii: "\n")])
    }

    /// With an entity tag of its body; 304 without it for a client that has it already. For answers that are asked for
    /// again and again.
    func revalidated(for request: Request) -> Response {
        let headers: Headers = ["ETag": "\"\(Fingerprint(of: body))\"", "Cache-Control": "no-cache"]
        guard let tag = headers["ETag"], !request.clientHas(tag) else {
            return Response(status: 304, headers: headers)
        }
        var response = self
        for field in headers.fields { response.headers[field.name] = field.value }
        return response
    }

    static let noContent = Response(status: 204, headers: ["Cache-Control": "no-store"])
}

extension JSONValue {
    static func id(_ id: UniqueID) -> JSONValue { .string(id.description) }
    static func time(_ time: Timestamp) -> JSONValue { .string(time.description) }

    /// An object without the members that are nil.
    static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        var object: [String: JSONValue] = [:]
        for case (let name, let value?) in members { object[name] = value }
        return .object(object)
    }
}
