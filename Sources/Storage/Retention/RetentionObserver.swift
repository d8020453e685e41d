/// Who is told what retention does, and asked what it may do.
///
/// Threading: called on retention's thread with the journal's lock held, so a call must be quick and must not use the store.
public protocol RetentionObserver: Sendable {
    /// The topic's events up to this position are no longer kept.
    func evicted(from topic: String, through position: UInt64)
    /// Whether a topic that clients made, of which no event is kept, may go: false while somebody follows it.
    func mayRemove(topic: String) -> Bool
    func removed(topic: String)
}
