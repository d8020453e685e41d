import Glibc
import Hub
import Primitives

/// The hot path: one `take` and one send(2) per connection and pass, on bytes that all connections share. Under load
/// several events leave in that one send. A connection that can't take more costs nothing until the kernel reports
/// it writable; what it missed is then in the hub's log, not here.
extension StreamWriter {
    /// Notes that the members of a topic have something to take.
    mutating func topicHasAdvanced(_ topic: Topic) {
        guard let room = rooms.room(of: topic) else { return }
        if rooms[room].isQueued {
            rooms[room].isDirtyAgain = true
        } else {
            rooms[room].isQueued = true
            rooms[room].nextToServe = rooms[room].members.count - 1
            rooms[room].passEnd = hub.position
            work.append(room)
        }
    }

    /// Serves members, and those for whom something was read in turn with them, until there is none left or no time; then
    /// returns so that other news gets a turn.
    mutating func serve(while hasTime: () -> Bool) {
        repeat {
            serveReady()
            guard let room = work.first else { continue }
            if rooms[room].nextToServe >= 0 { serveBatch(of: room) }
            if rooms[room].nextToServe < 0 {
                work.popFirst()
                passHasEnded(room)
            }
        } while hasSomeoneToServe && hasTime()
    }

    /// As many as cost about what a batch does: each has a page of the past to write.
    private mutating func serveReady() {
        for _ in 0..<Batch.capacity / 4 {
            guard let tag = ready.popFirst() else { return }
            // One that still has something to send takes the page behind it.
            if let slot = connections.slot(ofTag: tag) { pump(slot) }
        }
    }

    private mutating func serveBatch(of room: Int) {
        // Members may have left since the last turn.
        let last = min(rooms[room].nextToServe, rooms[room].members.count - 1)
        var next = last
        while next >= 0, last - next < Batch.capacity {
            let slot = rooms[room].members[next].slot
            if connections[slot].unsent.isEmpty { batch.append(slot, connections[slot].subscription, position: next) }
            next -= 1
        }
        rooms[room].nextToServe =
            batch.take(
                from: hub, maxBytes: configuration.maxWriteBytes, through: rooms[room].passEnd) ?? next
        while let (slot, delivery) = batch.popLast() {
            if write(delivery, to: slot) { pump(slot) }
        }
    }

    private mutating func passHasEnded(_ room: Int) {
        rooms[room].isQueued = false
        if rooms[room].members.isEmpty {
            rooms.close(room)
        } else if rooms[room].isDirtyAgain {
            rooms[room].isDirtyAgain = false
            topicHasAdvanced(rooms[room].topic)
        }
    }

    /// Writes the response head, with what is due right behind it.
    mutating func begin(_ slot: Int, with head: Frame) {
        let delivery = hub.take(connections[slot].subscription, maxBytes: configuration.maxWriteBytes)
        if write(delivery, behind: head, to: slot) { pump(slot) }
    }

    /// Writes what is due, until the socket takes no more or nothing is left.
    mutating func pump(_ slot: Int) {
        var hasMore = connections[slot].unsent.isEmpty
        while hasMore {
            hasMore = write(
                hub.take(connections[slot].subscription, maxBytes: configuration.maxWriteBytes), to: slot)
        }
    }

    /// - Returns: whether there is more to take, and room for it.
    private mutating func write(
        _ delivery: Delivery, behind head: Frame? = nil, to slot: Int
    ) -> Bool {
        counters.eventsWritten += UInt64(delivery.eventCount)
        var frames = encoded(delivery.frames, isLast: delivery.isLast, for: slot)
        if let head {
            let body = frames
            frames = [head]
            frames.append(contentsOf: body)
        }
        if delivery.isLast {
            connections[slot].isEnding = true
            if connections[slot].isChunked { frames.append(.lastChunk) }
        }
        return write(Outgoing(frames), to: slot) && delivery.hasMore
    }

    /// The socket takes bytes again.
    mutating func flush(_ slot: Int) {
        let unsent = connections[slot].unsent
        connections[slot].unsent = Outgoing()
        if write(unsent, to: slot) { pump(slot) }
    }

    /// Writes a comment, unless something is on its way anyway.
    mutating func writeHeartbeat(_ slot: Int) {
        guard connections[slot].unsent.isEmpty else { return }
        _ = write(Outgoing(encoded([.heartbeat], isLast: false, for: slot)), to: slot)
    }

    /// The frames in the content coding of the connection.
    private mutating func encoded(_ frames: ShortList<Frame>, isLast: Bool, for slot: Int) -> ShortList<Frame> {
        guard let encoded = connections[slot].gzip?.encode(frames, isLast: isLast, by: &gzipFrames) else {
            return frames
        }
        counters.framesCompressed = gzipFrames.madeCount
        return encoded
    }

    /// Writes until nothing is left or the socket takes no more; what it does not take is kept for `flush`.
    /// - Returns: whether more can be written: false when the socket is full or the connection has ended.
    private mutating func write(_ outgoing: Outgoing, to slot: Int) -> Bool {
        let (descriptor, isChunked) = (connections[slot].descriptor, connections[slot].isChunked)
        var outgoing = outgoing
        while !outgoing.isEmpty {
            let (sent, offered) = send(outgoing, to: descriptor, isChunked: isChunked)
            counters.writes += 1
            if sent < 0, errno != EAGAIN {
                disconnect(slot)
                return false
            }
            if sent > 0 {
                counters.bytesWritten += UInt64(sent)
                connections[slot].progress.wrote(sent, at: sweeps)
                outgoing.drop(sent, isChunked: isChunked)
            }
            if sent < offered {
                connections[slot].unsent = outgoing
                return false
            }
        }
        guard connections[slot].isEnding else { return true }
        disconnect(slot)
        return false
    }

    /// One send(2): from the shared bytes themselves when there is one frame, else from a copy of as many as fit.
    /// Copying costs less than what the kernel does per buffer of a sendmsg(2), and needs no pointers to be kept.
    /// - Returns: what the socket took (-1: see `errno`), and what it was offered.
    private mutating func send(_ outgoing: Outgoing, to descriptor: Int32, isChunked: Bool) -> (sent: Int, offered: Int)
    {
        let first = outgoing.firstRange(isChunked: isChunked)
        if outgoing.frames.count == 1 || first.count >= configuration.maxWriteBytes {
            return send(outgoing.frames[0].bytes, first, to: descriptor)
        }
        gathered.removeAll(keepingCapacity: true)
        gathered.append(contentsOf: outgoing.frames[0].bytes[first])
        for frame in outgoing.frames.dropFirst() {
            let range = frame.range(isChunked: isChunked)
            guard gathered.count + range.count <= configuration.maxWriteBytes else { break }
            gathered.append(contentsOf: frame.bytes[range])
        }
        return send(gathered, gathered.indices, to: descriptor)
    }

    private func send(_ bytes: [UInt8], _ range: Range<Int>, to descriptor: Int32) -> (sent: Int, offered: Int) {
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(
                descriptor, bytes.baseAddress! + range.lowerBound, range.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        return (sent, range.count)
    }
}
