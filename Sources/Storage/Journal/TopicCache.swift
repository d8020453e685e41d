/// Topics as they were last committed, found by key and by name.
///
/// A class, for a transaction looks into it while the journal owns it: as a value it would be copied by each commit.
final class TopicCache {
    private var byKey: [Int64: TopicRecord] = [:]
    private var keys: [String: Int64] = [:]
    /// Beyond it all is let go but what is put then: it is read again when needed.
    let bound: Int

    init(bound: Int) { self.bound = bound }

    subscript(key: Int64) -> TopicRecord? { byKey[key] }
    subscript(name: String) -> TopicRecord? { keys[name].flatMap { byKey[$0] } }

    func put(_ topic: TopicRecord) {
        if byKey.count >= bound, byKey[topic.key] == nil { (byKey, keys) = ([:], [:]) }
        byKey[topic.key] = topic
        keys[topic.name] = topic.key
    }

    func remove(_ topic: TopicRecord) {
        byKey[topic.key] = nil
        // The name may have been given to a newer topic.
        if keys[topic.name] == topic.key { keys[topic.name] = nil }
    }
}
