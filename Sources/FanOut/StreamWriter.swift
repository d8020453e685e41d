import Glibc
import Hub
import Primitives

/// The connections of one loop and the rooms that they are in. A value that the loop's thread alone has: no lock.
struct StreamWriter {
    let hub: Hub
    let configuration: FanOutConfiguration
    let epoll: Epoll
    /// The configuration's intervals in sweeps: worked out once, and not for each connection of each sweep.
    let (heartbeatSweeps, stallSweeps): (UInt32, UInt32)

    var connections = SlotTable()
    var rooms = RoomTable()
    /// Rooms with members to serve, in the order in which their topics advanced.
    var work = FIFO<Int>()
    /// Connections for which something was read from the history, by their tags.
    var ready = FIFO<UInt64>()
    /// Counts the sweeps: the loop's coarse clock.
    var sweeps: UInt32 = 0
    /// The first slot that the sweep under way has not looked at; beyond the last when there is none.
    var nextToSweep = Int.max
    var counters = FanOutCounters()
    /// The members of a room that are served together; empty in between.
    var batch = Batch()
    /// Where frames that leave together are put side by side: at most `maxWriteBytes`.
    var gathered: [UInt8] = []
    var gzipFrames = GzipFrames()

    init(hub: Hub, configuration: FanOutConfiguration, epoll: Epoll) {
        self.hub = hub
        self.configuration = configuration
        self.epoll = epoll
        heartbeatSweeps = configuration.sweeps(in: configuration.heartbeatInterval)
        stallSweeps = configuration.sweeps(in: configuration.stallTimeout)
    }

    var isEmpty: Bool { connections.isEmpty }
    var hasWork: Bool { hasSomeoneToServe || isSweeping }
    var hasSomeoneToServe: Bool { !work.isEmpty || !ready.isEmpty }

    /// - Parameter driver: whom the hub tells of news.
    mutating func connect(_ adoption: Adoption, driver: any SubscriptionDriver) {
        let connection = Connection(
            descriptor: adoption.descriptor, isChunked: adoption.isChunked,
            subscription: adoption.subscription.handle, progress: PeerProgress(at: sweeps),
            gzip: adoption.isGzipped ? GzipBody() : nil, seats: [], peerLeft: adoption.peerLeft)
        let (slot, tag) = connections.insert(connection)
        counters.connections += 1
        for (seat, topic) in adoption.subscription.topics.enumerated() {
            let room = rooms.open(for: topic)
            connections[slot].seats.append(Seat(room: room, position: rooms[room].members.count))
            rooms[room].members.append(Room.Member(slot: slot, seat: seat))
        }
        hub.attach(adoption.subscription, to: driver, token: tag, greeting: adoption.greeting)
        guard epoll.addSocket(adoption.descriptor, tag: tag) else { return disconnect(slot) }
        begin(slot, with: adoption.head)
    }

    mutating func connectionChanged(_ readiness: Epoll.Readiness) {
        guard let slot = connections.slot(ofTag: readiness.tag) else { return }
        if readiness.hasHungUp {
            disconnect(slot)
        } else if readiness.isWritable, !connections[slot].unsent.isEmpty {
            flush(slot)
        }
    }

    mutating func subscriptionHasEnded(token: UInt64) {
        if let slot = connections.slot(ofTag: token) { pump(slot) }
    }

    mutating func pumpAll() { for slot in connections.occupied { pump(slot) } }
    mutating func disconnectAll() { for slot in connections.occupied { disconnect(slot) } }

    /// Closes the socket at once, with what it still holds: the peer does not take it, and the kernel would go on offering.
    mutating func cutOff(_ slot: Int) {
        var reset = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(
            connections[slot].descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        disconnect(slot)
    }

    /// Closes the socket and forgets the subscription.
    mutating func disconnect(_ slot: Int) {
        let connection = connections.remove(slot)
        for seat in connection.seats { leave(seat) }
        hub.detach(connection.subscription)
        // Closing with unread input would reset the connection, and the peer could lose what was just written.
        discardInput(of: connection.descriptor)
        close(connection.descriptor)
        if !connection.isEnding { connection.peerLeft?() }
        counters.connections -= 1
    }

    /// Fills the seat with the room's last member. While a pass is under way it goes from the last member to the
    /// first, so that whoever moves has been served already.
    private mutating func leave(_ seat: Seat) {
        let last = rooms[seat.room].members.removeLast()
        if seat.position < rooms[seat.room].members.count {
            rooms[seat.room].members[seat.position] = last
            connections[last.slot].seats[last.seat].position = seat.position
        }
        if rooms[seat.room].members.isEmpty, !rooms[seat.room].isQueued { rooms.close(seat.room) }
    }
}

/// Reads and drops what the peer has sent, up to a bound.
private func discardInput(of descriptor: Int32) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
        for _ in 0..<16 {
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count <= 0 { return }
        }
    }
}
