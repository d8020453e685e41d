import Hub
import Storage

/// Lets the hub forget what the store no longer keeps, so that both give the same gaps.
struct HubRetention: RetentionObserver {
    let hub: Hub

    func evicted(from topic: String, through position: UInt64) {
        if let topic = self.topic(topic) { hub.forget(topic, through: position) }
    }

    func remove(topic: String) -> Bool {
        guard let topic = self.topic(topic) else { return true }
        return hub.removeTopicIfUnfollowed(topic)
    }

    private func topic(_ name: String) -> Topic? { (try? TopicName(name)).flatMap(hub.topic) }
}
