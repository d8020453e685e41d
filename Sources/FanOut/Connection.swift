import Hub

/// One subscriber's connection, in a slot of its loop. Touched by the loop's thread alone.
///
/// What a write needs comes first and fits a cache line: by the next event the kernel's own work has evicted it.
struct Connection {
    let descriptor: Int32
    let isChunked: Bool
    /// `unsent` holds the last bytes: the connection ends behind them.
    var isEnding = false
    let subscription: Subscription.Handle
    /// What the socket has not taken yet: never more than one delivery, and shared with all who get it.
    var unsent = Outgoing()
    var progress: PeerProgress
    /// Nil where the body is plain.
    var gzip: GzipBody?
    /// Where it stands among the members of each of its topics.
    var seats: [Seat]
    let peerLeft: (@Sendable () -> Void)?
}
