import HTTPServer
import Hub
import Storage

/// Publishes what clients send to topics of their own, which the first event makes. With a store the event is recorded
/// first, and many that arrive together are recorded as one.
struct Publisher: Sendable {
    let hub: Hub
    /// Nil: nothing is recorded.
    let journal: Journal?
    /// What is kept of a topic in memory.
    let retention: Retention
    let maxOpenTopics: Int

    /// An event that was published.
    struct Published: Sendable {
        let receipt: PublishReceipt
        /// The event made the topic.
        let isNew: Bool
    }

    /// Publishes at once, without a store.
    func publish(_ event: NewEvent, to name: TopicName) throws(Problem) -> Published {
        var isNew = false
        let topic: Topic
        if let known = try openTopic(name) {
            topic = known
        } else {
            do throws(HubError) {
                topic = try hub.makeTopic(name, access: .open, policy: .all, retention: retention)
                isNew = true
            } catch .topicExists {
                // Somebody else was first.
                return try publish(event, to: name)
            } catch {
                throw Problem(error)
            }
        }
        guard let receipt = hub.publish(event, to: topic) else { throw Self.ended }
        return Published(receipt: receipt, isNew: isNew)
    }

    /// Records the event, and then publishes it. Never blocks.
    /// - Parameter done: called once, at once or on the journal's thread, and must be quick.
    func record(
        _ event: NewEvent, to name: TopicName, in journal: Journal,
        done: @escaping @Sendable (Result<Published, Problem>) -> Void
    ) {
        do throws(Problem) {
            _ = try openTopic(name)
        } catch {
            return done(.failure(error))
        }
        do throws(StoreError) {
            try journal.submit(byteCount: event.fields.count) { recording throws(StoreError) in
                try record(event, to: name, in: &recording)
            } done: { result in
                done(published(event, to: name, result))
            }
        } catch {
            done(.failure(Problem(error)))
        }
    }

    private enum Recorded: Sendable {
        /// With the topic as it was before; the event made it if there was none.
        case event(position: UInt64, topic: StoredTopic, isNew: Bool)
        case tooManyTopics
    }

    /// In the journal's transaction.
    private func record(
        _ event: NewEvent, to name: TopicName, in recording: inout Recording
    ) throws(StoreError) -> Recorded {
        let known = try recording.topic(named: name.text)
        if known == nil, try recording.openTopicCount >= maxOpenTopics { return .tooManyTopics }
        if let known {
            return .event(
                position: try recording.append(event, to: known), topic: StoredTopic(key: known), isNew: false)
        }
        let topic = try recording.stored(try recording.makeTopic(name.text, isOpen: true))
        return .event(position: try recording.append(event, to: topic.key), topic: topic, isNew: true)
    }

    /// After the commit, before anything newer is told.
    private func published(
        _ event: NewEvent, to name: TopicName, _ result: Result<Recorded, StoreError>
    ) -> Result<Published, Problem> {
        switch result {
        case .failure(let error): return .failure(Problem(error))
        case .success(.tooManyTopics): return .failure(Problem(HubError.tooManyTopics(limit: maxOpenTopics)))
        case .success(.event(let position, let stored, let isNew)):
            guard
                let topic = hub.topic(named: name)
                    ?? (try? hub.makeTopic(
                        name, access: .open, policy: .all, retention: retention, stored: stored)),
                let receipt = hub.publish(event, to: topic, at: position)
            else { return .failure(Self.ended) }
            return .success(Published(receipt: receipt, isNew: isNew))
        }
    }

    private func openTopic(_ name: TopicName) throws(Problem) -> Topic? {
        guard let topic = hub.topic(named: name) else { return nil }
        guard hub.access(of: topic) == .open else {
            throw .conflict("The topic \"\(name)\" has a source of its own; nobody else can publish to it.")
        }
        return topic
    }

    private static let ended = Problem.gone("This topic has ended.")
}
