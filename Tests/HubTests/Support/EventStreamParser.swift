/// An event as a client's parser dispatches it.
struct ReceivedEvent: Equatable {
    /// The last event id at that moment: an event without an `id:` line leaves it as it was.
    var id: String
    var name: String
    var data: String
}

/// Reads text/event-stream as the standard says a client does (WHATWG HTML, sections 9.2.5 and 9.2.6), from
/// bytes cut anywhere. Shares no code with the encoder under test.
struct EventStreamParser {
    private(set) var lastEventID = ""
    private(set) var reconnectionMilliseconds: Int?
    private(set) var comments = 0
    private var line: [UInt8] = []
    private var endedWithCR = false
    private var name = ""
    private var data = ""
    private var newID: String?

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [ReceivedEvent] {
        var events: [ReceivedEvent] = []
        for byte in bytes {
            let followsCR = endedWithCR
            endedWithCR = byte == 13
            switch byte {
            case 10 where followsCR: continue
            case 10, 13:
                if let event = lineEnded() { events.append(event) }
                line.removeAll()
            default: line.append(byte)
            }
        }
        return events
    }

    private mutating func lineEnded() -> ReceivedEvent? {
        if line.isEmpty { return dispatch() }
        let colon = line.firstIndex(of: 58)
        let field = String(decoding: line[..<(colon ?? line.count)], as: UTF8.self)
        var value = colon.map { Array(line[($0 + 1)...]) } ?? []
        if value.first == 32 { value.removeFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch field {
        case "": comments += 1
        case "event": name = text
        case "data": data += text + "\n"
        case "id" where !value.contains(0): newID = text
        case "retry" where value.allSatisfy({ 48...57 ~= $0 }): reconnectionMilliseconds = Int(text)
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> ReceivedEvent? {
        if let newID { lastEventID = newID }
        defer { (name, data) = ("", "") }
        guard !data.isEmpty else { return nil }
        // Not `removeLast()`: a final LF after a CR would go with it as one Character.
        let text = String(decoding: data.utf8.dropLast(), as: UTF8.self)
        return ReceivedEvent(id: lastEventID, name: name.isEmpty ? "message" : name, data: text)
    }
}
