import Hub

/// One subscriber's connection, in a slot of its loop. Touched by the loop's thread alone.
struct Connection {
    let descriptor: Int32
    let isChunked: Bool
    let subscription: Subscription
    let peerLeft: (@Sendable () -> Void)?
    /// Where it stands among the members of each of its topics.
    var seats: [Seat]
    /// Bytes that the socket has not taken yet: never more than one delivery, and shared where it is one event.
    var pending: Frame?
    /// How many bytes of `pending`, from the start of its range, have been written.
    var written = 0
    var stage = Stage.open
    /// When bytes were last accepted, in sweeps of the loop.
    var lastProgress: UInt32
}

extension Connection {
    enum Stage {
        case open
        /// `pending` holds the last events.
        case lastEvents
        /// `pending` holds the last chunk.
        case lastChunk
    }
}
