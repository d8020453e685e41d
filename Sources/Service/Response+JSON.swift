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
