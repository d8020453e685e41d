import Hub

/// A socket that changes hands.
struct Adoption: Sendable {
    let descriptor: Int32
    let head: Frame
    let isChunked: Bool
    let isGzipped: Bool
    let subscription: Subscription
    let greeting: Frame?
    let peerLeft: (@Sendable () -> Void)?
}

/// What other threads have left for a loop since it last looked.
struct Inbox: Sendable {
    var adoptions: [Adoption] = []
    /// Each topic once, however often it advanced.
    var advanced: Set<Topic> = []
    /// Tokens of subscriptions that ended.
    var ended: [UInt64] = []
    /// Tokens of subscriptions for which something was read.
    var ready: [UInt64] = []
    var isDrained = false
    /// Set when the loop is to return: at the latest when this time has passed.
    var finishBound: Duration?

    var isEmpty: Bool {
        adoptions.isEmpty && advanced.isEmpty && ended.isEmpty && ready.isEmpty && !isDrained && finishBound == nil
    }
}
