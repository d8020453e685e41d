import Synchronization

/// Immutable bytes of one or several events, ready for the wire and shared by every subscriber.
///
/// The bytes carry the framing of one HTTP/1.1 chunk (RFC 9112, section 7.1) around the event text, so that
/// a chunked and a close-delimited connection send different ranges of the same storage. A frame costs
/// a subscriber one reference; the bytes are never copied per subscriber.
public final class Frame: Sendable {
    /// `<length in hexadecimal> CR LF <event text> CR LF`.
    public let bytes: [UInt8]
    /// The event text alone.
    public let textRange: Range<Int>
    private let lazyCompanion = AtomicLazyReference<any AnyObject & Sendable>()

    /// Frames `text`, which must be one or more whole events or comments, or what a content coding makes of these:
    /// an event is never split over frames.
    public convenience init(text: some Collection<UInt8>) {
        self.init(textLength: text.count) { $0.append(contentsOf: text) }
    }

    /// An event without an id, which leaves the receiver's cursor where it is.
    public convenience init(event name: String, data: some Collection<UInt8>) {
        var text = EventText()
        text.append(event: name)
        // An array at once: a caller in another module gets code that knows nothing of its collection's type.
        text.append(data: Array(data))
        text.endEvent()
        self.init(text: text.bytes)
    }

    /// Frames an event whose fields were encoded before its id was known.
    convenience init(id: String, fields: [UInt8]) {
        self.init(textLength: EventText.length(ofID: id) + fields.count) { text in
            text.append(id: id)
            text.append(contentsOf: fields)
        }
    }

    /// One frame with the text of several, at least one; one alone is not copied.
    static func joining(_ frames: [Frame]) -> Frame {
        if frames.count == 1 { return frames[0] }
        return Frame(textLength: frames.reduce(0) { $0 + $1.textRange.count }) { text in
            for frame in frames { text.append(contentsOf: frame.bytes[frame.textRange]) }
        }
    }

    private init(textLength: Int, appendText: (inout EventText) -> Void) {
        precondition(textLength > 0, "a chunk of nothing would end the body")
        let size = String(textLength, radix: 16).utf8
        let textStart = size.count + crlf.count
        textRange = textStart..<textStart + textLength
        var framed = EventText(reservingCapacity: textRange.upperBound + crlf.count)
        framed.append(contentsOf: size)
        framed.append(contentsOf: crlf)
        appendText(&framed)
        framed.append(contentsOf: crlf)
        bytes = framed.bytes
    }

    private init(unframed bytes: [UInt8], textStart: Int) {
        self.bytes = bytes
        textRange = textStart..<bytes.count
    }

    /// What goes before a stream's events: the head of the response. It is the same on all connections.
    public convenience init(head: [UInt8]) {
        precondition(!head.isEmpty, "a response has a head")
        self.init(unframed: head, textStart: 0)
    }

    /// What to send on a connection, by its framing.
    public func range(isChunked: Bool) -> Range<Int> { isChunked ? bytes.indices : textRange }

    /// What whoever writes frames has kept with this one, such as its text in a content coding; nil at first.
    public var companion: (any AnyObject & Sendable)? { lazyCompanion.load() }

    /// Keeps what was derived from this frame for as long as the frame itself, so that all who write it share it.
    /// - Returns: what was kept first, if another thread was faster.
    public func keep(companion: any AnyObject & Sendable) -> any AnyObject & Sendable {
        lazyCompanion.storeIfNil(companion)
    }

    /// The last chunk of a chunked body (RFC 9112, section 7.1); nothing on a close-delimited connection.
    public static let lastChunk = Frame(unframed: Array("0\r\n\r\n".utf8), textStart: 5)

    /// A comment (WHATWG HTML, section 9.2.6): keeps proxies and dead-peer detection awake, dispatches nothing.
    public static let heartbeat = Frame(text: ":\n\n".utf8)
}

private let crlf: [UInt8] = [0x0D, 0x0A]
