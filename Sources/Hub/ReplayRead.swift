/// Where and in what form a page of the past is wanted: who wants the same gets the same page.
struct ReplayKey: Hashable {
    let topic: Slab<TopicState>.Handle
    let start: HistoryRequest.Start
    /// Of text; see ``HistoryRequest/maxBytes``.
    let maxBytes: Int
    /// For subscriptions to several topics.
    let isEnveloped: Bool
    /// Where the place of an id is wanted, what was published since may have the same id; else 0, since a page remains
    /// right, if short, when there is more behind it.
    let through: UInt64
}

/// A page that is to be read.
struct ReplayRead: Sendable {
    /// About one write of a stream. Text of one page, in bytes; shared among the topics of a subscription.
    static let maxBytes = 32 << 10
    /// What a topic's page has at least where many topics share, in bytes.
    static let minBytes = 2 << 10
    /// Events of one page, the withdrawn ones included.
    static let maxEvents = 1_024

    let key: ReplayKey
    let name: TopicName
    let request: HistoryRequest
    /// What was withdrawn when the page was asked for.
    let withdrawnBelow: UInt32

    /// - Parameter topics: how many the subscription follows.
    init(
        of topic: Topic, _ state: TopicState, from start: HistoryRequest.Start, through: UInt64, topics: Int
    ) {
        let maxBytes = max(Self.minBytes, Self.maxBytes / topics)
        var keyThrough: UInt64 = 0
        if case .afterID = start { keyThrough = through }
        key = ReplayKey(
            topic: topic.handle, start: start, maxBytes: maxBytes, isEnveloped: topics > 1, through: keyThrough)
        name = topic.name
        request = HistoryRequest(
            topic: state.historyKey!, start: start, through: through, maxEvents: Self.maxEvents,
            maxBytes: maxBytes)
        withdrawnBelow = state.log.withdrawnBelow
    }

    /// The event as its subscribers get it; nothing of one that was withdrawn.
    func append(_ event: StoredEvent, to text: inout [UInt8], epoch: String) {
        guard let fields = event.fields, event.withdrawalTag == 0 || event.withdrawalTag >= withdrawnBelow else {
            return
        }
        let sharedID = EventID.position(Position(durable: event.position)).text(epoch: epoch)
        let frame = Frame(id: event.id ?? sharedID, fields: fields)
        guard key.isEnveloped else { return text.append(contentsOf: frame.bytes[frame.textRange]) }
        let envelope = StreamEvent.event(in: frame).envelope(
            topic: name, sharedID: sharedID, isJSON: event.isJSON)
        text.append(contentsOf: envelope.bytes[envelope.textRange])
    }
}
