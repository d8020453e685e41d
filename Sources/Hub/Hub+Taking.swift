import Primitives

extension Hub {
    /// Takes what is pending for a subscription.
    /// - Parameter maxBytes: no further event is added once this many bytes are reached; at least one is taken.
    public func take(_ subscription: Subscription.Handle, maxBytes: Int) -> Delivery {
        let (delivery, due) = state.withLock { state in
            (Self.take(subscription, from: &state, maxBytes: maxBytes, through: .max), state.reads.takeDue())
        }
        begin(due)
        return delivery
    }

    /// The position of the newest event of any topic, for `take`.
    public var position: Position { state.withLock { $0.position } }

    /// Takes for several subscriptions with the lock taken once.
    ///
    /// By the time of the next event the caches have forgotten a subscription; one after another without a system
    /// call in between, the misses overlap.
    /// - Parameters:
    ///   - position: what is newer may wait. Subscriptions that have had the same before then get the same now, and share
    ///     one frame of all that is pending.
    ///   - maxFrames: no further subscription has its turn once this many frames were taken, so that publishers do not
    ///     wait for the lock while all of a long backlog is taken.
    ///   - deliveries: gets one for each that had its turn, at least the first, in their order.
    public func take(
        _ subscriptions: [Subscription.Handle], maxBytes: Int, through position: Position, maxFrames: Int,
        into deliveries: inout [Delivery]
    ) {
        let due = state.withLock { state in
            var frames = 0
            for subscription in subscriptions {
                let delivery = Self.take(subscription, from: &state, maxBytes: maxBytes, through: position)
                deliveries.append(delivery)
                frames += delivery.frames.count
                if frames >= maxFrames { break }
            }
            return state.reads.takeDue()
        }
        begin(due)
    }

    /// Chance is the state's caller's to bring.
    private static func take(
        _ subscription: Subscription.Handle, from state: inout HubState, maxBytes: Int, through position: Position
    ) -> Delivery {
        state.take(
            subscription.slot, maxBytes: maxBytes, through: position,
            retryMilliseconds: state.isDraining ? Int.random(in: reconnectSpread) : 0)
    }

    /// After a drain, clients are asked to come back within this many milliseconds, spread evenly.
    static let reconnectSpread = 1_000...5_000

    // MARK: Reading on from the history

    /// Asks the history for pages. To be called without the lock: it may answer at once.
    private func begin(_ reads: [ReplayRead]) {
        for read in reads {
            guard let history else {
                finish(read, .failure(.unreadable))
                continue
            }
            // A read under way keeps nobody's hub.
            history.read(read.request) { [weak self] answer in
                guard let self else { return }
                // Here, on whatever thread the history has, and not with the lock held.
                finish(read, answer.map { ReplayPage($0, for: read, epoch: epoch) })
            }
        }
    }

    private func finish(_ read: ReplayRead, _ outcome: Result<ReplayPage, HistoryError>) {
        let (attachments, due) = state.withLock { state in
            (state.finish(read.key, outcome), state.reads.takeDue())
        }
        for (driver, token) in attachments { driver.subscriptionReady(token: token) }
        begin(due)
    }
}
