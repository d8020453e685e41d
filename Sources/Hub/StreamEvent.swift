/// An event as a consumer reads it.
public struct StreamEvent: Sendable, Equatable {
    /// Nil for events about the stream itself.
    public let id: String?
    public let name: String
    public let data: String

    /// Reads back the events of a frame of this module's own making.
    ///
    /// Byte by byte and not by `Character`: a text that begins with a combining mark would melt into the space
    /// before it.
    static func events(in frame: Frame) -> [StreamEvent] {
        let lines = frame.bytes[frame.textRange].split(separator: lineFeed, omittingEmptySubsequences: false)
        var events: [StreamEvent] = []
        var (id, name): (String?, String?)
        var data: [ArraySlice<UInt8>] = []
        for line in lines {
            if line.isEmpty {
                if !data.isEmpty {
                    events.append(
                        StreamEvent(
                            id: id, name: name ?? "message",
                            data: String(decoding: Array(data.joined(separator: [lineFeed])), as: UTF8.self)))
                }
                (id, name, data) = (nil, nil, [])
            } else if let value = line.value(of: "id: ") {
                id = String(decoding: value, as: UTF8.self)
            } else if let value = line.value(of: "event: ") {
                name = String(decoding: value, as: UTF8.self)
            } else if let value = line.value(of: "data: ") {
                data.append(value)
            }
        }
        return events
    }

    /// The event of a frame that has one. What is no event, as a damaged store may give, is one without data.
    static func event(in frame: Frame) -> StreamEvent {
        events(in: frame).first ?? StreamEvent(id: nil, name: "message", data: "")
    }
}

extension ArraySlice<UInt8> {
    fileprivate func value(of field: String) -> ArraySlice<UInt8>? {
        starts(with: field.utf8) ? dropFirst(field.utf8.count) : nil
    }
}
