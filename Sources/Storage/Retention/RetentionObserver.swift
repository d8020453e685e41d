/// Who is told what retention does, and asked what it may do.
///
/// Threading: called on retention's thread with the journal's lock held, so a call must be quick and must not use the store.
public protocol RetentionObserver: Sendable {
    /// The topic's events up to this position are no longer kept.
    func evicted(from topic: String, through position: UInt64)
    /// A topic that clients made, of which no event is kept, is about to go; should that fail, it is made again when it is
    /// next published to.
    /// - Returns: false when it must stay: somebody follows it.
    func remove(topic: String) -> Bool
}
