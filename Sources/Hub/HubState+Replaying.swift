/// What the history's answers change.
extension HubState {
    /// Hands a page, or the reason why there is none, to all who waited for it.
    /// - Returns: whom to tell after the lock has been left.
    mutating func finish(
        _ key: ReplayKey, _ outcome: Result<ReplayPage, HistoryError>
    ) -> [(driver: any SubscriptionDriver, token: UInt64)] {
        if case .success(let page) = outcome {
            counters.historyPages += 1
            if isCurrent(page, of: key.topic) { reads.keep(page, for: key) }
        }
        var attachments: [(driver: any SubscriptionDriver, token: UInt64)] = []
        for waiter in reads.finish(key) {
            guard subscriptions.contains(waiter), let replay = subscriptions[waiter].replay,
                replay.supply(outcome, for: key), let driver = subscriptions[waiter].driver
            else { continue }
            attachments.append((driver, subscriptions[waiter].token))
        }
        return attachments
    }

    /// Nothing was withdrawn or dropped since that is on the page.
    private func isCurrent(_ page: ReplayPage, of topic: Slab<TopicState>.Handle) -> Bool {
        guard topics.contains(topic) else { return false }
        let log = topics[topic].log
        return page.lowestTag >= log.withdrawnBelow
            && page.events.first.map { $0.position > log.forgottenThrough ?? 0 } ?? true
    }

    /// Goes on with the search for the place of an own id: asks the topics one after the other, until one has it.
    mutating func seek(for subscription: Slab<SubscriptionState>.Handle) {
        guard let replay = subscriptions[subscription].replay else { return }
        while let search = replay.search, replay.awaited == nil {
            guard let lane = search.untried.last(where: { isFollowed(subscriptions[subscription].lanes[$0]) }) else {
                return placeAll(of: subscription, at: .sought(ifNotFound: search.ifNotFound))
            }
            guard let reading = replay.index(of: lane) else {
                _ = subscriptions[subscription].requestPage(
                    for: lane, from: .afterID(search.id), of: subscription, in: topics, by: &reads)
                if replay.index(of: lane) == nil { return }
                continue
            }
            switch replay.readings[reading].outcome {
            case .success(let page):
                return found(on: page, lane, of: subscription)
            case .failure(.unknownID):
                replay.readings.remove(at: reading)
                replay.search?.untried.removeAll { $0 == lane }
            case .failure(.unreadable):
                replay.readings.remove(at: reading)
                return placeAll(of: subscription, at: .nowhere(.unreadable))
            }
        }
    }

    private func isFollowed(_ lane: Lane) -> Bool { !lane.isOver && topics.contains(lane.topic.handle) }

    /// The lane goes on with the page, and the others at the same place, if it is known.
    private mutating func found(on page: ReplayPage, _ lane: Int, of subscription: Slab<SubscriptionState>.Handle) {
        let cursor = page.startPosition.map { Cursor.after(Position(durable: $0)) } ?? .nowhere(.unknown)
        placeAll(of: subscription, at: cursor, but: lane)
        let start = page.startPosition ?? page.events.first.map { $0.position - 1 } ?? page.through
        subscriptions[subscription].lanes.with(lane) { ($0.reached, $0.pendingGap) = (start, nil) }
        if page.events.isEmpty { subscriptions[subscription].move(lane: lane, toIndex: 0) }
    }

    private mutating func placeAll(
        of subscription: Slab<SubscriptionState>.Handle, at cursor: Cursor, but exception: Int? = nil
    ) {
        subscriptions[subscription].replay?.search = nil
        for index in subscriptions[subscription].lanes.indices where index != exception {
            var lane = subscriptions[subscription].lanes[index]
            place(&lane, at: cursor)
            subscriptions[subscription].lanes[index] = lane
        }
    }
}
