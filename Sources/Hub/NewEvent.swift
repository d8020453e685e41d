/// An event that is about to be published: checked, and encoded but for its id.
public struct NewEvent: Sendable {
    /// Names that the server itself gives to events about a stream. A publisher can't use them.
    public static let reservedNames: Set<String> = ["subscribed", "gap", "end", "topicEnded"]
    /// The longest `event:` name and `id:`, in bytes.
    public static let maxNameBytes = 128

    /// The publisher's own; nil when the hub gives one.
    public let id: String?
    public let isJSON: Bool
    public let withdrawalTag: UInt32
    /// The `event:` and `data:` lines and the blank line.
    public let fields: [UInt8]

    /// - Parameters:
    ///   - name: the event's type; nil is the format's default, `message`. 1 to 128 bytes without CR, LF or NUL.
    ///   - data: UTF-8 text; it may have any number of lines.
    ///   - isJSON: whether `data` is one JSON value, so that an envelope can embed it as such.
    ///   - id: the publisher's own id: 1 to 128 bytes of `[A-Za-z0-9._-]`. Nil lets the hub give one.
    ///   - withdrawalTag: see ``Hub/withdraw(from:taggedBelow:snapshot:)``; 0 is never withdrawn.
    public init(
        name: String? = nil, data: some Collection<UInt8>, isJSON: Bool = true, id: String? = nil,
        withdrawalTag: UInt32 = 0
    ) throws(HubError) {
        if let name, !Self.isValid(name: name) { throw .invalidEventName(name) }
        if let id, !Self.isValid(id: id) { throw .invalidEventID(id) }
        self.id = id
        self.isJSON = isJSON
        self.withdrawalTag = withdrawalTag
        var text = EventText()
        if let name { text.append(event: name) }
        // An array at once: a caller in another module gets code that knows nothing of its collection's type.
        text.append(data: Array(data))
        text.endEvent()
        fields = text.bytes
    }

    private static func isValid(name: String) -> Bool {
        1...maxNameBytes ~= name.utf8.count
            && !name.utf8.contains { $0 == carriageReturn || $0 == lineFeed || $0 == 0 }
    }

    /// The alphabet survives an HTTP header (`Last-Event-ID`) and a URL unescaped.
    public static func isValid(id: String) -> Bool {
        1...maxNameBytes ~= id.utf8.count && id.utf8.allSatisfy(isNameByte)
    }
}

func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default: false
    }
}
