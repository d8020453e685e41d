/// Event fields in the text/event-stream format (WHATWG HTML, sections 9.2.5 and 9.2.6).
struct EventText {
    private(set) var bytes: [UInt8] = []

    init(reservingCapacity capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// What appending an id takes, in bytes.
    static func length(ofID id: String) -> Int { "id: ".utf8.count + id.utf8.count + 1 }

    mutating func append(id: String) { append(field: "id: ", id.utf8) }
    mutating func append(event: String) { append(field: "event: ", event.utf8) }
    mutating func append(retryMilliseconds: Int) {
        append(field: "retry: ", String(retryMilliseconds).utf8)
    }

    /// One `data:` line for each line of `data`. CR, LF and CRLF each end a line, since a parser takes
    /// any of them for a line's end; the receiver joins the lines with LF.
    mutating func append(data: some Collection<UInt8>) {
        var line = data.startIndex
        while true {
            let end = data[line...].firstIndex { $0 == carriageReturn || $0 == lineFeed } ?? data.endIndex
            append(field: "data: ", data[line..<end])
            guard end != data.endIndex else { return }
            line = data.index(after: end)
            if data[end] == carriageReturn, line != data.endIndex, data[line] == lineFeed {
                line = data.index(after: line)
            }
        }
    }

    /// The blank line that makes the receiver dispatch the event.
    mutating func endEvent() { bytes.append(lineFeed) }

    mutating func append(contentsOf text: some Collection<UInt8>) { bytes.append(contentsOf: text) }

    private mutating func append(field: StaticString, _ value: some Collection<UInt8>) {
        field.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: value)
        bytes.append(lineFeed)
    }
}

let carriageReturn = UInt8(ascii: "\r")
let lineFeed = UInt8(ascii: "\n")
