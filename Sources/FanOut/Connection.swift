import Hub

/// One subscriber's connection, in a slot of its loop. Touched by the loop's thread alone.
struct Connection {
    let descriptor: Int32
    let isChunked: Bool
    let subscription: Subscription
    let peerLeft: (@Sendable () -> Void)?
    /// Where it stands among the members of each of its topics.
    var seats: [Seat]
    /// What the socket has not taken yet: never more than one delivery, and shared with all who get it.
    var unsent = Outgoing()
    /// `unsent` holds the last bytes: the connection ends behind them.
    var isEnding = false
    /// When bytes were last accepted, in sweeps of the loop.
    var lastProgress: UInt32
}
