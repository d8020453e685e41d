/// An event's place in the order of all events of a hub: one id addresses a place in several topics.
///
/// Positions increase in the order of publication, also from one life of the server to the next, as long as the durable
/// numbers do.
public struct Position: Sendable, Hashable {
    /// The number of the newest recorded event up to here, the event itself included. 0 in a hub that records nothing.
    public let durable: UInt64
    /// Counts the events behind that which are not recorded; 0 for a recorded event.
    public let minor: UInt64

    public init(durable: UInt64 = 0, minor: UInt64 = 0) { (self.durable, self.minor) = (durable, minor) }

    /// Before every event.
    public static let zero = Position()
    /// Behind every event.
    public static let max = Position(durable: .max, minor: .max)

    /// The place of the next event, if it is not recorded.
    var next: Position { Position(durable: durable, minor: minor + 1) }
}

extension Position: Comparable {
    public static func < (left: Position, right: Position) -> Bool {
        left.durable == right.durable ? left.minor < right.minor : left.durable < right.durable
    }
}

// Spelled `<durable>` for a recorded event and `<durable>.<minor>` for another; in a hub that records nothing, `<minor>`.
// Such a hub has no durable number but 0, and one that records never has that, so the forms can't be confused.
extension Position {
    var text: String {
        if durable == 0 { return "\(minor)" }
        return minor == 0 ? "\(durable)" : "\(durable).\(minor)"
    }

    /// Nil when `text` is not a position in such a hub.
    init?(_ text: some StringProtocol, inHubThatRecords isRecording: Bool) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.utf8.first.map { 48...57 ~= $0 } ?? false }), let first = UInt64(parts[0]) else {
            return nil
        }
        if parts.count == 1 {
            self = isRecording ? Position(durable: first) : Position(minor: first)
        } else if isRecording, let second = UInt64(parts[1]) {
            self = Position(durable: first, minor: second)
        } else {
            return nil
        }
    }
}
