/// Immutable bytes of one or several events, ready for the wire and shared by every subscriber.
///
/// The bytes carry the framing of one HTTP/1.1 chunk (RFC 9112, section 7.1) around the event text, so that
/// a chunked and a close-delimited connection send different ranges of the same storage. A frame costs
/// a subscriber one reference; the bytes are never copied per subscriber.
public struct Frame: Sendable {
    /// `<length in hexadecimal> CR LF <event text> CR LF`.
    public let bytes: [UInt8]
    /// Where the event text begins.
    private let textStart: Int

    /// Frames `text`, which must be one or more whole events or comments: an event is never split over frames.
    public init(text: some Collection<UInt8>) {
        self.init(texts: CollectionOfOne(text))
    }

    /// An event without an id, which leaves the receiver's cursor where it is.
    public init(event name: String, data: some Collection<UInt8>) {
        var text = EventText()
        text.append(event: name)
        text.append(data: data)
        text.endEvent()
        self.init(texts: CollectionOfOne(text.bytes))
    }

    /// Frames an event whose fields were encoded before its id was known.
    init(id: String, fields: [UInt8]) {
        var text = EventText()
        text.append(id: id)
        self.init(texts: [text.bytes, fields])
    }

    /// One frame holding the text of several, so that they leave in one write.
    init(joining frames: [Frame]) {
        if frames.count == 1 {
            self = frames[0]
        } else {
            self.init(texts: frames.map { $0.bytes[$0.textRange] })
        }
    }

    private init(texts: some Collection<some Collection<UInt8>>) {
        let length = texts.reduce(0) { $0 + $1.count }
        precondition(length > 0, "a chunk of nothing would end the body")
        let size = String(length, radix: 16).utf8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.count + length + 4)
        bytes.append(contentsOf: size)
        bytes.append(contentsOf: crlf)
        textStart = bytes.count
        for text in texts { bytes.append(contentsOf: text) }
        bytes.append(contentsOf: crlf)
        self.bytes = bytes
    }

    private init(unframed bytes: [UInt8], textStart: Int) {
        self.bytes = bytes
        self.textStart = textStart
    }

    /// The event text alone.
    public var textRange: Range<Int> { textStart..<max(textStart, bytes.count - crlf.count) }

    /// What to send on a connection, by its framing.
    public func range(isChunked: Bool) -> Range<Int> { isChunked ? bytes.indices : textRange }

    /// The last chunk of a chunked body (RFC 9112, section 7.1); nothing on a close-delimited connection.
    public static let lastChunk = Frame(unframed: Array("0\r\n\r\n".utf8), textStart: 5)

    /// A comment (WHATWG HTML, section 9.2.6): keeps proxies and dead-peer detection awake, dispatches nothing.
    public static let heartbeat = Frame(text: ":\n\n".utf8)
}

private let crlf: [UInt8] = [0x0D, 0x0A]
