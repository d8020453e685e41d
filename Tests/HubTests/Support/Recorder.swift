import Hub

/// A hub whose topics are recorded before they are published: what a journal does, in the plainest way.
final class Recorder {
    let history: FakeHistory
    private(set) var hub: Hub
    private(set) var number: UInt64
    private var keys: [String: Int64] = [:]

    init(history: FakeHistory = FakeHistory(), limits: HubLimits = HubLimits()) {
        self.history = history
        number = 1
        hub = Hub(limits: limits, epoch: "e", durablePosition: number, history: history)
    }

    /// A new life of the server over the same store; topics have to be made again.
    func restart() {
        number += 1
        hub = Hub(epoch: "e", durablePosition: number, history: history)
    }

    func key(_ name: String) -> Int64 {
        if keys[name] == nil { keys[name] = Int64(keys.count + 1) }
        return keys[name]!
    }

    @discardableResult
    func topic(
        _ name: String, policy: DeliveryPolicy = .all, beginning: TopicBeginning = .next,
        keeping maxEvents: Int = 1_024, hiddenBelow: UInt32 = 0, withdrawnBelow: UInt32 = 0, snapshot: Frame? = nil,
        isClosed: Bool = false
    ) throws -> Topic {
        try hub.makeTopic(
            TopicName(name), access: .source, policy: policy, beginning: beginning,
            retention: Retention(maxEvents: maxEvents),
            stored: history.stored(key(name), withdrawnBelow: withdrawnBelow), hiddenBelow: hiddenBelow,
            snapshot: snapshot, isClosed: isClosed)
    }

    @discardableResult
    func publish(
        _ data: String, to topic: Topic, id: String? = nil, tag: UInt32 = 0, snapshot: Frame? = nil,
        isLast: Bool = false
    ) throws -> PublishReceipt? {
        let event = try NewEvent(data: data.utf8, id: id, withdrawalTag: tag)
        number += 1
        history.record(
            StoredEvent(position: number, id: id, isJSON: true, withdrawalTag: tag, fields: event.fields),
            of: key(topic.name.text))
        return hub.publish(event, to: topic, at: number, snapshot: snapshot, isLast: isLast)
    }

    func publish(_ values: ClosedRange<Int>, to topic: Topic) throws {
        for value in values { try publish(String(value), to: topic) }
    }

    func withdraw(from topic: Topic, taggedBelow tag: UInt32, snapshot: Frame? = nil) {
        history.withdraw(from: key(topic.name.text), taggedBelow: tag)
        hub.withdraw(from: topic, taggedBelow: tag, snapshot: snapshot)
    }

    func drop(from topic: Topic, through position: UInt64) {
        history.drop(from: key(topic.name.text), through: position)
        hub.forget(topic, through: position)
    }
}

extension Follower {
    /// Everything there is, answering whatever is asked of the history on the way.
    func readAll(from history: FakeHistory, maxBytes: Int = 1 << 16) -> [ReceivedEvent] {
        var events: [ReceivedEvent] = []
        var heard = -1
        while heard < driver.ready.count || history.pendingCount > 0 {
            heard = driver.ready.count
            history.answerAll()
            events += read(maxBytes: maxBytes)
        }
        return events
    }
}
