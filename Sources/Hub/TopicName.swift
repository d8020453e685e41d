/// The name of a topic: one or more segments of `[A-Za-z0-9._-]`, joined by `/`, 128 bytes at most.
///
/// The last segment can't be `start` or `stop`: those address a topic's source. `.` and `..` are refused,
/// since URL clients resolve them away.
public struct TopicName: Sendable, Hashable {
    public static let maxBytes = 128
    public let text: String

    /// A name that was put together of what is known to be valid, such as UUIDs: checked in debug builds only.
    public init(valid text: String) {
        assert((try? TopicName(text)) != nil, "not a topic's name: \(text)")
        self.text = text
    }

    public init(_ text: String) throws(HubError) {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maxBytes,
            segments.allSatisfy({ segment in
                !segment.isEmpty && segment != "." && segment != ".." && segment.utf8.allSatisfy(isNameByte)
            }),
            let last = segments.last, last != "start", last != "stop"
        else { throw .invalidTopicName(text) }
        self.text = text
    }
}

extension TopicName: CustomStringConvertible {
    public var description: String { text }
}
