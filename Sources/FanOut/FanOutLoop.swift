import Glibc
import Hub
import Primitives
import Synchronization

/// A thread with its share of the connections: one epoll set, no lock around what only it touches.
///
/// Safety of `@unchecked Sendable`:
/// 1. `connections`, `rooms`, `roomsByTopic`, `work`, `sweeps`, `own` and `gathered` are touched by the loop's own thread alone,
///    from `run()` on; nothing else in this class that may be called from other threads reads or writes them.
/// 2. `inbox` is behind a lock, `published` behind another; `epoll`, `hub` and the constants are Sendable.
/// 3. `thread` is written once, in `init`, before the object is shared.
final class FanOutLoop: @unchecked Sendable {
    let hub: Hub
    let configuration: FanOutConfiguration
    let time: TimeSource
    let epoll = Epoll()
    private let inbox = Locked(Inbox())
    private let published = Locked(FanOutCounters())
    /// Connections on their way in count too, so that a burst of adoptions is spread over the loops.
    private let adopted = Atomic<Int>(0)
    private var thread: OwnThread?

    var connections = SlotTable()
    var rooms: ContiguousArray<Room> = []
    var roomsByTopic: [Topic: Int] = [:]
    private var freeRooms: [Int] = []
    /// Rooms with members to serve, in the order in which their topics advanced.
    var work = FIFO<Int>()
    /// Counts the sweeps: the loop's coarse clock.
    var sweeps: UInt32 = 0
    var own = FanOutCounters()
    /// Where frames that leave together are put side by side: at most `maxWriteBytes`.
    var gathered: [UInt8] = []

    init(hub: Hub, configuration: FanOutConfiguration, time: TimeSource, name: String) {
        self.hub = hub
        self.configuration = configuration
        self.time = time
        thread = OwnThread(name: name) { [self] in run() }
    }

    // MARK: From any thread

    var connectionCount: Int { adopted.load(ordering: .relaxed) }
    var counters: FanOutCounters { published.withLock { $0 } }

    func adopt(_ adoption: Adoption) {
        adopted.add(1, ordering: .relaxed)
        post { $0.adoptions.append(adoption) }
    }

    func finish(within bound: Duration) { post { $0.finishBound = bound } }
    func join() { thread?.join() }

    private func post(_ change: (inout Inbox) -> Void) {
        let wasEmpty = inbox.withLock { inbox in
            let wasEmpty = inbox.isEmpty
            change(&inbox)
            return wasEmpty
        }
        if wasEmpty { epoll.wake() }
    }

    // MARK: On the loop's thread

    private func run() {
        var deadline: Duration?
        var nextSweep = time.monotonic() + sweepInterval
        while true {
            let wakeTime = min(nextSweep, deadline ?? nextSweep)
            epoll.wait(milliseconds: work.isEmpty ? milliseconds(until: wakeTime) : 0) { readiness in
                connectionChanged(readiness)
            }
            let news = inbox.withLock { inbox in
                let news = inbox
                inbox = Inbox()
                return news
            }
            for adoption in news.adoptions { connect(adoption) }
            for topic in news.advanced { topicHasAdvanced(topic) }
            for token in news.ended { subscriptionHasEnded(token: token) }
            if news.isDrained { for slot in connections.occupied { pump(slot) } }
            if let bound = news.finishBound { deadline = time.monotonic() + bound }
            serve(atMost: 256)
            let now = time.monotonic()
            if now >= nextSweep {
                sweep()
                nextSweep = now + sweepInterval
            }
            published.withLock { $0 = own }
            if let deadline, connections.isEmpty || now >= deadline { break }
        }
        for slot in connections.occupied { disconnect(slot) }
        published.withLock { $0 = own }
        for adoption in inbox.withLock({ $0.adoptions }) {
            close(adoption.descriptor)
            hub.detach(adoption.subscription.handle)
            adoption.peerLeft?()
        }
    }

    private func milliseconds(until time: Duration) -> Int32 {
        let remaining = time - self.time.monotonic()
        return Int32(clamping: max(0, Int((remaining / .milliseconds(1)).rounded(.up))))
    }

    private func connect(_ adoption: Adoption) {
        let connection = Connection(
            descriptor: adoption.descriptor, isChunked: adoption.isChunked,
            subscription: adoption.subscription.handle, lastProgress: sweeps, seats: [],
            peerLeft: adoption.peerLeft)
        let (slot, tag) = connections.insert(connection)
        own.connections += 1
        for (seat, topic) in adoption.subscription.topics.enumerated() {
            let room = room(for: topic)
            connections[slot].seats.append(Seat(room: room, position: rooms[room].members.count))
            rooms[room].members.append(Room.Member(slot: slot, seat: seat))
        }
        hub.attach(adoption.subscription, to: self, token: tag, greeting: adoption.greeting)
        guard epoll.addSocket(adoption.descriptor, tag: tag) else { return disconnect(slot) }
        pump(slot)
    }

    /// Closes the socket and forgets the subscription.
    func disconnect(_ slot: Int) {
        let connection = connections.remove(slot)
        for seat in connection.seats { leave(seat) }
        hub.detach(connection.subscription)
        // Closing with unread input would reset the connection, and the peer could lose what was just written.
        discardInput(of: connection.descriptor)
        close(connection.descriptor)
        if !connection.isEnding { connection.peerLeft?() }
        own.connections -= 1
        adopted.subtract(1, ordering: .relaxed)
    }

    private func connectionChanged(_ readiness: Epoll.Readiness) {
        guard let slot = connections.slot(ofTag: readiness.tag) else { return }
        if readiness.hasHungUp {
            disconnect(slot)
        } else if readiness.isWritable, !connections[slot].unsent.isEmpty {
            flush(slot)
        }
    }

    private func subscriptionHasEnded(token: UInt64) {
        if let slot = connections.slot(ofTag: token) { pump(slot) }
    }

    private func room(for topic: Topic) -> Int {
        if let room = roomsByTopic[topic] { return room }
        let room: Int
        if let free = freeRooms.popLast() {
            room = free
            rooms[room] = Room(topic: topic)
        } else {
            room = rooms.count
            rooms.append(Room(topic: topic))
        }
        roomsByTopic[topic] = room
        return room
    }

    /// Fills the seat with the room's last member. While a pass is under way it goes from the last member to the
    /// first, so that whoever moves has been served already.
    private func leave(_ seat: Seat) {
        let last = rooms[seat.room].members.removeLast()
        if seat.position < rooms[seat.room].members.count {
            rooms[seat.room].members[seat.position] = last
            connections[last.slot].seats[last.seat].position = seat.position
        }
        if rooms[seat.room].members.isEmpty, !rooms[seat.room].isQueued { closeRoom(seat.room) }
    }

    func closeRoom(_ room: Int) {
        roomsByTopic[rooms[room].topic] = nil
        freeRooms.append(room)
    }
}

extension FanOutLoop: SubscriptionDriver {
    func topicAdvanced(_ topic: Topic) { post { $0.advanced.insert(topic) } }
    func subscriptionEnded(token: UInt64) { post { $0.ended.append(token) } }
    func hubDrained() { post { $0.isDrained = true } }
}
