import Hub

/// The rooms of a loop, one for each topic that a connection of it follows, in places that are used again.
struct RoomTable {
    private var rooms: ContiguousArray<Room> = []
    private var roomsByTopic: [Topic: Int] = [:]
    private var free: [Int] = []

    subscript(room: Int) -> Room {
        _read { yield rooms[room] }
        _modify { yield &rooms[room] }
    }

    /// Nil when nobody here follows the topic.
    func room(of topic: Topic) -> Int? { roomsByTopic[topic] }

    mutating func open(for topic: Topic) -> Int {
        if let room = roomsByTopic[topic] { return room }
        let room = free.popLast() ?? rooms.count
        if room == rooms.count { rooms.append(Room(topic: topic)) } else { rooms[room] = Room(topic: topic) }
        roomsByTopic[topic] = room
        return room
    }

    mutating func close(_ room: Int) {
        roomsByTopic[rooms[room].topic] = nil
        free.append(room)
    }
}
