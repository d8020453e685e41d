import Hub
import Primitives
import Storage

/// Makes the topics of jobs and runs that were recorded in an earlier life of the server, when somebody asks for one:
/// making all of them at the start would take time and memory for what few look at again.
///
/// Threading: any thread.
final class JobTopicReopener: Sendable {
    private struct Request: Sendable {
        let names: [TopicName]
        let done: CheckedContinuation<StoreError?, Never>
    }

    private let hub: Hub
    private let topics: JobTopics
    /// At most as many as the HTTP server has connections.
    private let requests = BlockingQueue<Request>()

    init(hub: Hub, topics: JobTopics, store: Store) {
        (self.hub, self.topics) = (hub, topics)
        // A thread of its own: looking into the store waits for the commit that is under way.
        _ = OwnThread(name: "topics") { [requests] in
            while let request = requests.take() {
                request.done.resume(returning: Self.reopen(request.names, topics, store))
            }
        }
    }

    private static func reopen(_ names: [TopicName], _ topics: JobTopics, _ store: Store) -> StoreError? {
        do throws(StoreError) {
            for name in names {
                try store.withStoredTopic(named: name.text) { stored in
                    if let stored { topics.reopen(name, from: stored) }
                }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Those that are not in the hub, but may have been recorded.
    func missing(of names: [TopicName]) -> [TopicName] {
        names.filter {
            $0.text.hasPrefix(JobTopicName.prefix) && hub.topic(named: $0) == nil && topics.isOfKnownJob($0)
        }
    }

    /// Returns when each of them is in the hub, or is not stored.
    /// - Returns: why the store can't be read, if it can't.
    func reopen(_ names: [TopicName]) async -> StoreError? {
        await withCheckedContinuation { continuation in
            if !requests.put(Request(names: names, done: continuation)) { continuation.resume(returning: nil) }
        }
    }

    /// What comes later is not reopened.
    func stop() { requests.close() }
}
