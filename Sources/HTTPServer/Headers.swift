/// Header fields in the order in which they were sent or are to be sent (RFC 9110, section 5).
///
/// Names are compared without regard to ASCII case; their spelling is kept.
public struct Headers: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    public private(set) var fields: [Field]

    public init() { fields = [] }

    init(fields: [Field]) { self.fields = fields }

    /// The first value of `name`; setting replaces every value of it, nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { sameName($0.name, name) }?.value }
        set {
            fields.removeAll { sameName($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Every value of `name`, in order. A list within one value is not split.
    public func values(of name: String) -> [String] {
        fields.compactMap { sameName($0.name, name) ? $0.value : nil }
    }

    /// Adds fields and keeps those of the same names.
    public mutating func append(contentsOf others: Headers) { fields.append(contentsOf: others.fields) }

    /// Adds a field and keeps those of the same name.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension Headers: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

/// ASCII case-insensitive equality.
func sameName(_ left: String, _ right: String) -> Bool {
    // Most names differ in length, which costs nothing to find out.
    guard left.utf8.count == right.utf8.count else { return false }
    for (mine, other) in zip(left.utf8, right.utf8) where mine != other {
        guard lowercased(mine) == lowercased(other) else { return false }
    }
    return true
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
