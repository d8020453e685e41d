import Primitives

/// IDs in the order in which they were added, each with the serial number it was added under.
///
/// Adding costs O(1), removing a binary search and the move of what follows.
struct OrderedIDs: Sendable {
    struct Entry: Sendable {
        let serial: Int
        let id: UniqueID
    }

    private(set) var entries: [Entry] = []

    mutating func insert(_ id: UniqueID, serial: Int) {
        entries.insert(Entry(serial: serial, id: id), at: firstIndex(notBelow: serial))
    }

    mutating func remove(serial: Int) {
        let index = firstIndex(notBelow: serial)
        guard index < entries.count, entries[index].serial == serial else { return }
        entries.remove(at: index)
    }

    /// Where the first entry with this serial or a greater one is, or would be.
    func firstIndex(notBelow serial: Int) -> Int {
        if let last = entries.last, last.serial < serial { return entries.count }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].serial < serial { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
