import Primitives

/// An event as a consumer reads it.
public struct StreamEvent: Sendable, Equatable {
    /// Nil for events about the stream itself.
    public let id: String?
    public let name: String
    public let data: String

    /// Reads back the events of a frame of this module's own making.
    static func events(in frame: Frame) -> [StreamEvent] {
        let text = frame.bytes[frame.textRange]
        var events: [StreamEvent] = []
        var (id, name): (String?, String?)
        var data: [Substring] = []
        for line in String(decoding: text, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" })
        {
            if line.isEmpty {
                if !data.isEmpty {
                    events.append(
                        StreamEvent(id: id, name: name ?? "message", data: data.joined(separator: "\n")))
                }
                (id, name, data) = (nil, nil, [])
            } else if line.hasPrefix("id: ") {
                id = String(line.dropFirst(4))
            } else if line.hasPrefix("event: ") {
                name = String(line.dropFirst(7))
            } else if line.hasPrefix("data: ") {
                data.append(line.dropFirst(6))
            }
        }
        return events
    }

    /// The event as a consumer of several topics gets it: its data wrapped with the topic's name, its id
    /// replaced by one that resumes all of the topics at once (none for an event without an id).
    func envelope(topic: TopicName, sharedID: String?, isJSON: Bool) -> Frame {
        var text = EventText()
        if let sharedID { text.append(id: sharedID) }
        if name != "message" { text.append(event: name) }
        let payload = isJSON ? data : String(decoding: JSONValue.string(data).text, as: UTF8.self)
        let ownID = id.map { "\"id\":\"\($0)\"," } ?? ""
        text.append(data: "{\"topic\":\"\(topic)\",\(ownID)\"data\":\(payload)}".utf8)
        text.endEvent()
        return Frame(text: text.bytes)
    }
}
