import Hub

/// A connection's place in a room.
struct Seat {
    let room: Int
    var position: Int
}

/// The members of a topic on one loop. Joining and leaving are O(1).
struct Room {
    struct Member {
        let slot: Int
        /// Which of the connection's seats this is.
        let seat: Int
    }

    let topic: Topic
    var members: ContiguousArray<Member> = []
    /// The members from here down to 0 are still to be served in the pass under way; -1 when none is.
    var nextToServe = -1
    /// The position of the newest event when the topic advanced: the pass serves no newer ones, so that all who were served
    /// in the one before get the same. What is newer has the topic advance again.
    var passEnd = Position.zero
    /// A pass is under way or waits for its turn.
    var isQueued = false
    /// The topic advanced during the pass: another one follows.
    var isDirtyAgain = false
}
