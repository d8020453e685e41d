/// Writes JSON text (RFC 8259) straight into bytes: compact, members in the order in which they are written.
///
/// A ``JSONValue`` is for values whose shape the caller does not know; this is for those whose shape the code knows, and
/// costs no dictionary, no sorting and no strings on the way.
///
///     var json = JSONWriter()
///     json.object { json in
///         json.member("jobID", id)
///         json.object("links") { $0.member("self", path) }
///     }
///
/// That a name is not written twice, and that a member is written in an object, is up to the caller.
public struct JSONWriter {
    /// The text so far.
    public private(set) var bytes: [UInt8] = []
    /// Whether something stands before the next element or member in its array or object.
    private var needsComma = false

    /// - Parameter capacity: bytes that the text is expected to take.
    public init(reservingCapacity capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// The text of one object.
    public static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 512)
        json.object(members)
        return json.bytes
    }

    // MARK: Values

    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        nest(open: UInt8(ascii: "{"), close: UInt8(ascii: "}"), members)
    }

    /// An array of what `write` writes for each element: exactly one value.
    public mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
    ) {
        nest(open: UInt8(ascii: "["), close: UInt8(ascii: "]")) { json in
            for element in elements { write(element, &json) }
        }
    }

    public mutating func value(_ value: String) {
        separate()
        bytes.append(jsonString: value)
    }

    public mutating func value(_ value: Int) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    public mutating func value(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    public mutating func value(_ value: JSONValue) {
        separate()
        value.append(to: &bytes)
    }

    /// As a string.
    public mutating func value(_ value: UniqueID) { quote(value.text.span) }

    /// As a string.
    public mutating func value(_ value: Timestamp) { quote(value.text.span) }

    // MARK: Members of an object; a value that is nil is left out

    public mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    public mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    public mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    public mutating func member(_ name: StaticString, _ value: JSONValue?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    public mutating func member(_ name: StaticString, _ value: UniqueID?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    public mutating func member(_ name: StaticString, _ value: Timestamp?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    public mutating func array<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
    ) {
        self.name(name)
        array(elements, write)
    }

    // MARK: Punctuation

    /// A member's name, which must need no escaping; its value follows.
    private mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func nest(open: UInt8, close: UInt8, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(open)
        needsComma = false
        body(&self)
        bytes.append(close)
        needsComma = true
    }

    /// Text that needs no escaping.
    private mutating func quote(_ text: Span<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
    }
}
