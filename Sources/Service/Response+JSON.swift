import HTTPServer
import Primitives

extension Response {
    /// A JSON answer, ended by a newline for those who read it in a terminal; not to be stored by caches unless `headers` say otherwise.
    static func json(_ value: JSONValue, status: Int = 200, headers: Headers = [:]) -> Response {
        json(text: value.text + [lineFeed], status: status, headers: headers)
    }

    /// The same of an object whose members are written one by one.
    static func json(
        status: Int = 200, headers: Headers = [:], object members: (inout JSONWriter) -> Void
    ) -> Response {
        json(text: JSONWriter.object(members) + [lineFeed], status: status, headers: headers)
    }

    /// The same of text, newline included.
    static func json(text: [UInt8], status: Int = 200, headers: Headers = [:]) -> Response {
        var headers = headers
        headers["Content-Type"] = "application/json"
        if headers["Cache-Control"] == nil { headers["Cache-Control"] = "no-store" }
        return Response(status: status, headers: headers, body: text)
    }

    static let noContent = Response(status: 204, headers: ["Cache-Control": "no-store"])
}

private let lineFeed = UInt8(ascii: "\n")

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
