import Glibc
import Hub
import Primitives

/// The hot path: one `take` and one send(2) per connection and pass, on bytes that all connections share. Under load
/// several events leave in that one send. A connection that can't take more costs nothing until the kernel reports
/// it writable; what it missed is then in the hub's log, not here.
extension FanOutLoop {
    /// Notes that the members of a topic have something to take.
    func topicHasAdvanced(_ topic: Topic) {
        guard let room = roomsByTopic[topic] else { return }
        if rooms[room].isQueued {
            rooms[room].isDirtyAgain = true
        } else {
            rooms[room].isQueued = true
            rooms[room].nextToServe = rooms[room].members.count - 1
            work.append(room)
        }
    }

    /// Serves up to `count` members, then returns so that other news gets a turn.
    func serve(atMost count: Int) {
        var remaining = count
        while remaining > 0, let room = work.first {
            while remaining > 0, rooms[room].nextToServe >= 0 {
                // Members may have left since the last turn.
                let next = min(rooms[room].nextToServe, rooms[room].members.count - 1)
                rooms[room].nextToServe = next - 1
                if next >= 0 { pump(rooms[room].members[next].slot) }
                remaining -= 1
            }
            guard rooms[room].nextToServe < 0 else { return }
            work.popFirst()
            passHasEnded(room)
        }
    }

    private func passHasEnded(_ room: Int) {
        rooms[room].isQueued = false
        if rooms[room].members.isEmpty {
            closeRoom(room)
        } else if rooms[room].isDirtyAgain {
            rooms[room].isDirtyAgain = false
            topicHasAdvanced(rooms[room].topic)
        }
    }

    /// Writes what is due, until the socket takes no more or nothing is left.
    func pump(_ slot: Int) {
        while connections[slot].pending == nil {
            let delivery = hub.take(connections[slot].subscription, maxBytes: configuration.maxWriteBytes)
            own.eventsWritten += UInt64(delivery.eventCount)
            if delivery.isLast { connections[slot].stage = .lastEvents }
            connections[slot].pending = delivery.frame
            guard delivery.isLast || delivery.frame != nil, advance(slot), delivery.hasMore else { return }
        }
    }

    /// The socket takes bytes again.
    func flush(_ slot: Int) {
        if advance(slot) { pump(slot) }
    }

    /// Writes what is pending, and what must follow it at the end.
    /// - Returns: whether more can be written: false when the socket is full or the connection has ended.
    private func advance(_ slot: Int) -> Bool {
        while write(slot) {
            switch connections[slot].stage {
            case .open: return true
            case .lastEvents where connections[slot].isChunked:
                connections[slot].pending = .lastChunk
                connections[slot].stage = .lastChunk
            case .lastEvents, .lastChunk:
                disconnect(slot)
                return false
            }
        }
        return false
    }

    /// Writes a comment, unless something is pending anyway.
    func writeHeartbeat(_ slot: Int) {
        guard connections[slot].pending == nil else { return }
        connections[slot].pending = .heartbeat
        _ = advance(slot)
    }

    /// Sends the rest of the pending frame.
    /// - Returns: whether all of it is written; false also when the connection is gone.
    private func write(_ slot: Int) -> Bool {
        let connection = connections[slot]
        guard let frame = connection.pending else { return true }
        let rest = frame.range(isChunked: connection.isChunked).dropFirst(connection.written)
        let sent = unsafe frame.bytes.withUnsafeBytes { bytes in
            unsafe send(
                connection.descriptor, bytes.baseAddress! + rest.lowerBound, rest.count,
                Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        own.writes += 1
        if sent < 0 {
            if errno != EAGAIN && errno != EINTR { disconnect(slot) }
            return false
        }
        own.bytesWritten += UInt64(sent)
        connections[slot].lastProgress = sweeps
        if sent < rest.count {
            connections[slot].written += sent
            return false
        }
        connections[slot].pending = nil
        connections[slot].written = 0
        return true
    }
}

/// Reads and drops what the peer has sent, up to a bound.
func discardInput(of descriptor: Int32) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
        for _ in 0..<16 {
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count <= 0 { return }
        }
    }
}
