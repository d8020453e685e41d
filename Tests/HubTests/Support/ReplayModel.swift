import Testing

/// What must be true of what readers get, told from the events alone: it knows nothing of memory, pages and cursors.
struct ReplayModel {
    struct Event {
        let topic: String
        /// In the order of publication, over all topics.
        let order: Int
        /// As a subscription to several topics gets it, and one to this topic alone.
        let sharedID: String
        let id: String
        let tag: UInt32
        let data: String
        /// Not kept any more by anybody.
        var isDropped = false
        var isWithdrawn = false
        var isHidden = false

        var isGone: Bool { isDropped || isWithdrawn || isHidden }
    }

    /// What a reader got of one topic: an event by its order, or a gap.
    enum Received: Equatable {
        case event(Int)
        case gap(reason: String)
    }

    private(set) var events: [Event] = []
    private var ordersByID: [String: Int] = [:]

    mutating func published(_ topic: String, sharedID: String, id: String, tag: UInt32, isWithdrawn: Bool) -> Int {
        let order = events.count
        events.append(
            Event(
                topic: topic, order: order, sharedID: sharedID, id: id, tag: tag, data: "\(order)",
                isWithdrawn: isWithdrawn))
        ordersByID[sharedID] = order
        ordersByID[id] = order
        return order
    }

    mutating func change(_ topic: String, where isIncluded: (Event) -> Bool, _ body: (inout Event) -> Void) {
        for index in events.indices where events[index].topic == topic && isIncluded(events[index]) {
            body(&events[index])
        }
    }

    func order(ofID id: String) -> Int? { ordersByID[id] }

    func orders(of topic: String, after order: Int) -> [Int] {
        events[(order + 1)...].filter { $0.topic == topic }.map(\.order)
    }

    /// Checks what a reader got of a topic since it began, with all that was published by now.
    /// - Parameters:
    ///   - start: the order of the event it began behind.
    ///   - isSilent: of events that were gone before a newcomer came no word is due.
    ///   - isTold: of an event that is not silent, or was dropped since, a gap may tell.
    ///   - mayBeLost: memory alone had the topic's events.
    ///   - isDone: it has had all there is.
    func check(
        _ received: [Received], of topic: String, after start: Int, isSilent: (Event) -> Bool,
        isTold: (Event) -> Bool, mayBeLost: Bool, isDone: Bool, _ comment: Comment
    ) {
        var last = start
        var gaps: [String] = []
        func checkStretch(to next: Int) {
            let between = orders(of: topic, after: last).filter { $0 < next }
            let missing = between.filter { !isSilent(events[$0]) }
            let told = between.filter { isTold(events[$0]) }
            for order in missing {
                #expect(mayBeLost || events[order].isGone, "\(comment): \(topic) lost \(order)")
            }
            // A place that nobody knows is a gap, whether or not something is missing there.
            let explained = gaps.filter { $0 != "unknown" && $0 != "restarted" && $0 != "unreadable" }
            #expect(missing.isEmpty || !gaps.isEmpty, "\(comment): \(topic) has no gap for \(missing)")
            #expect(!told.isEmpty || explained.isEmpty, "\(comment): \(topic) has a gap for nothing before \(next)")
            if explained.contains("evicted") {
                #expect(mayBeLost || told.contains { events[$0].isDropped }, "\(comment): nothing was dropped")
            }
        }
        for item in received {
            switch item {
            case .gap(let reason): gaps.append(reason)
            case .event(let order):
                #expect(order > last, "\(comment): \(topic) gave \(order) after \(last)")
                checkStretch(to: order)
                (last, gaps) = (order, [])
            }
        }
        if isDone { checkStretch(to: events.count) }
    }
}
