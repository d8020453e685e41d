import HTTPServer
import Hub
import Primitives

extension NewEvent {
    /// What a publisher sends: `{"event"?, "data", "id"?}`.
    init(of request: Request) throws(Problem) {
        let body = try JSONBody(of: request)
        if let fields = PlainFields(of: body) {
            try self.init(
                name: fields.event, data: fields.data, isJSON: fields.isJSON, id: fields.id)
            return
        }
        var members = try Members(of: try body.value)
        let name = try members.takeString("event")
        let id = try members.takeString("id")
        let data = members.takeAny("data")
        try members.finish()
        switch data {
        case nil: throw .invalid("An event needs data: any JSON value.", field: "data")
        // A string is sent as it is, so that data can be any text; any other value as the client wrote it, so that
        // no number is rounded.
        case .string(let text): try self.init(name: name, data: Array(text.utf8)[...], isJSON: false, id: id)
        case .some(let value):
            try self.init(name: name, data: body.text(ofMember: "data") ?? value.text[...], isJSON: true, id: id)
        }
    }

    private init(name: String?, data: ArraySlice<UInt8>, isJSON: Bool, id: String?) throws(Problem) {
        if let name, NewEvent.reservedNames.contains(name) {
            throw .invalid("\"\(name)\" is the server's own event.", field: "event")
        }
        do throws(HubError) {
            try self.init(name: name, data: data, isJSON: isJSON, id: id, withdrawalTag: 0)
        } catch {
            throw Problem(error)
        }
    }
}

/// A published event as its publisher wrote it, where that can be told without decoding. Decoding takes several times
/// as long as all the rest of publishing; what is wrong with an event is for the decoder to say.
private struct PlainFields {
    var event: String?
    var id: String?
    let data: ArraySlice<UInt8>
    let isJSON: Bool

    init?(of body: JSONBody) {
        for name in body.memberNames {
            switch String(decoding: name, as: UTF8.self) {
            case "data": break
            case "event":
                guard let text = body.plainString(ofMember: "event") else { return nil }
                event = String(decoding: text, as: UTF8.self)
            case "id":
                guard let text = body.plainString(ofMember: "id") else { return nil }
                id = String(decoding: text, as: UTF8.self)
            default: return nil
            }
        }
        guard let text = body.text(ofMember: "data") else { return nil }
        isJSON = text.first != UInt8(ascii: "\"")
        guard let data = isJSON ? text : body.plainString(ofMember: "data") else { return nil }
        self.data = data
    }
}
