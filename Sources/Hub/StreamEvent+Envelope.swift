import Primitives

extension StreamEvent {
    /// The event as a consumer of several topics gets it: its data wrapped with the topic's name, its id
    /// replaced by one that resumes all of the topics at once (none for an event without an id).
    func envelope(topic: TopicName, sharedID: String?, isJSON: Bool) -> Frame {
        let ownID = id.map { "\"id\":\"\($0)\"," } ?? ""
        var wrapped = Array("{\"topic\":\"\(topic)\",\(ownID)\"data\":".utf8)
        if isJSON {
            wrapped.append(contentsOf: data.utf8)
        } else {
            wrapped.append(contentsOf: JSONValue.string(data).text)
        }
        wrapped.append(UInt8(ascii: "}"))
        var text = EventText()
        if let sharedID { text.append(id: sharedID) }
        if name != "message" { text.append(event: name) }
        text.append(data: wrapped)
        text.endEvent()
        return Frame(text: text.bytes)
    }
}
