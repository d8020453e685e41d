import Primitives

/// The pages of the past that are being read, who waits for them, and those that were read last.
struct ReplayReads {
    typealias Waiter = Slab<SubscriptionState>.Handle

    /// Reads that the history has at one time; others wait here, so that one that nobody waits for any more is never begun.
    static let maxRunning = 16
    /// Pages kept for others who come to the same place.
    static let maxPages = 32
    /// What they take together, in bytes; one page may be larger.
    static let maxPageBytes = 2 << 20

    private struct Wanted {
        let read: ReplayRead
        var waiters: Set<Waiter> = []
        var isRunning = false
    }

    private var wanted: [ReplayKey: Wanted] = [:]
    /// Those that are not running, in the order they were asked for; and some that nobody waits for any more.
    private var queue = FIFO<ReplayKey>()
    private var running = 0
    private var pages = FIFO<(key: ReplayKey, page: ReplayPage)>()
    private var pagesByKey: [ReplayKey: ReplayPage] = [:]
    private var pageBytes = 0
    /// False once nothing is to be read any more.
    var isOpen = true

    /// A page that is here already.
    func page(_ key: ReplayKey) -> ReplayPage? { pagesByKey[key] }

    /// - Returns: whether there is something to wait for.
    mutating func wait(for read: ReplayRead, _ waiter: Waiter) -> Bool {
        guard isOpen else { return false }
        if wanted[read.key] == nil {
            wanted[read.key] = Wanted(read: read)
            queue.append(read.key)
            if queue.count > 2 * wanted.count + Self.maxRunning { dropAbandoned() }
        }
        wanted[read.key]!.waiters.insert(waiter)
        return true
    }

    /// The waiter has left.
    mutating func abandon(_ key: ReplayKey, _ waiter: Waiter) {
        wanted[key]?.waiters.remove(waiter)
        if wanted[key]?.waiters.isEmpty == true, wanted[key]?.isRunning == false { wanted[key] = nil }
    }

    /// What the history is to be asked for now, once the hub's lock was left.
    mutating func takeDue() -> [ReplayRead] {
        guard !queue.isEmpty else { return [] }
        var due: [ReplayRead] = []
        while running < Self.maxRunning, let key = queue.popFirst() {
            // It may stand in the queue twice, if it was abandoned and asked for again.
            guard let read = wanted[key]?.read, wanted[key]?.isRunning == false else { continue }
            wanted[key]!.isRunning = true
            running += 1
            due.append(read)
        }
        return due
    }

    /// - Returns: who waited for it.
    mutating func finish(_ key: ReplayKey) -> Set<Waiter> {
        running -= 1
        return wanted.removeValue(forKey: key)?.waiters ?? []
    }

    mutating func keep(_ page: ReplayPage, for key: ReplayKey) {
        guard pagesByKey[key] == nil else { return }
        pages.append((key, page))
        pagesByKey[key] = page
        pageBytes += page.byteCount
        while pages.count > 1, pages.count > Self.maxPages || pageBytes > Self.maxPageBytes { dropOldest() }
    }

    /// Lets go of a topic's pages that have an event at or before a position.
    mutating func forget(_ topic: Slab<TopicState>.Handle, through position: UInt64 = .max) {
        guard pagesByKey.contains(where: { $0.key.topic == topic }) else { return }
        let kept = pages.popAll()
        pagesByKey = [:]
        pageBytes = 0
        for (key, page) in kept
        where key.topic != topic || page.events.first.map({ $0.position > position }) ?? false {
            keep(page, for: key)
        }
    }

    /// So that the queue stays in proportion to those who wait, however many come and go while a read takes long.
    private mutating func dropAbandoned() {
        var seen: Set<ReplayKey> = []
        for key in queue.popAll() where wanted[key]?.isRunning == false && seen.insert(key).inserted {
            queue.append(key)
        }
    }

    private mutating func dropOldest() {
        guard let (key, page) = pages.popFirst() else { return }
        pagesByKey[key] = nil
        pageBytes -= page.byteCount
    }
}
