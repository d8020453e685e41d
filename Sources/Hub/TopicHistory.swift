/// The past of topics beyond what the hub keeps in memory: events that were recorded before they were published.
///
/// Threading: any thread may call. A call must not block; it answers once, on a thread of its own or at once.
public protocol TopicHistory: Sendable {
    func read(
        _ request: HistoryRequest, completion: @escaping @Sendable (Result<HistoryPage, HistoryError>) -> Void)
}

/// Which part of a topic's past is wanted.
public struct HistoryRequest: Sendable, Hashable {
    public enum Start: Sendable, Hashable {
        /// With the oldest event that is kept.
        case beginning
        case after(position: UInt64)
        /// Behind the newest event with this id of its own.
        case afterID(String)
    }

    /// See ``StoredTopic/key``.
    public let topic: Int64
    public let start: Start
    /// Nothing with a greater position: that has not been published yet, or is in memory.
    public let through: UInt64
    /// At least 1.
    public let maxEvents: Int
    /// The page ends with the event that reaches this many bytes of ``StoredEvent/fields``.
    public let maxBytes: Int

    public init(topic: Int64, start: Start, through: UInt64, maxEvents: Int, maxBytes: Int) {
        (self.topic, self.start, self.through) = (topic, start, through)
        (self.maxEvents, self.maxBytes) = (maxEvents, maxBytes)
    }
}

/// Events of one topic that follow one another.
public struct HistoryPage: Sendable {
    /// In ascending order of their positions; none when nothing is kept between the start and `through`.
    public let events: [StoredEvent]
    /// Events behind the start were there and are no longer kept.
    public let isBehindEvicted: Bool
    /// Nothing follows up to `through`.
    public let isComplete: Bool
    /// Where the page begins: the position of the event with the id that was asked for. It lets a subscription to several
    /// topics resume the others at the same place; without it they begin with all that is kept, after a gap.
    public let startPosition: UInt64?

    public init(
        events: [StoredEvent], isBehindEvicted: Bool, isComplete: Bool, startPosition: UInt64? = nil
    ) {
        (self.events, self.isBehindEvicted, self.isComplete) = (events, isBehindEvicted, isComplete)
        self.startPosition = startPosition
    }
}

public enum HistoryError: Error, Sendable, Hashable {
    /// No event that is kept has the id.
    case unknownID
    /// What is stored can't be read.
    case unreadable
}

/// An event as it was recorded.
public struct StoredEvent: Sendable, Hashable {
    /// Hub-wide, increasing from 1 in the order of publication.
    public let position: UInt64
    /// Only when it isn't the one that the hub derives from the position.
    public let id: String?
    public let isJSON: Bool
    public let withdrawalTag: UInt32
    /// The `event:` and `data:` lines and the blank line; nil when the event was withdrawn.
    public let fields: [UInt8]?

    public init(position: UInt64, id: String?, isJSON: Bool, withdrawalTag: UInt32, fields: [UInt8]?) {
        (self.position, self.id, self.isJSON) = (position, id, isJSON)
        (self.withdrawalTag, self.fields) = (withdrawalTag, fields)
    }
}

/// A topic whose events are recorded before they are published.
public struct StoredTopic: Sendable {
    /// What the history knows it by.
    public let key: Int64
    /// Events that were ever recorded.
    public let published: UInt64
    /// The greatest position of an event that is no longer kept; 0 when all are. Nil where that is not known: then a
    /// newcomer is not told of what is dropped before it has read it.
    public let evictedThrough: UInt64?
    /// Events with a tag in `1..<withdrawnBelow` were withdrawn.
    public let withdrawnBelow: UInt32
    /// Nil for a topic that never had an event, or none that is kept.
    public let newest: StoredEvent?

    public init(
        key: Int64, published: UInt64 = 0, evictedThrough: UInt64? = nil, withdrawnBelow: UInt32 = 0,
        newest: StoredEvent? = nil
    ) {
        (self.key, self.published) = (key, published)
        (self.evictedThrough, self.withdrawnBelow, self.newest) = (evictedThrough, withdrawnBelow, newest)
    }
}
