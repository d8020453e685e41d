import Primitives

/// Where a run's report lies until the engine takes it; a newer one takes the place of one that still lies there.
///
/// So a run has at most one report in the engine's mailbox, however often it reports and however slow the engine is.
final class ProgressSlot: Sendable {
    private let waiting = Locked<RunProgress?>(nil)

    /// True when the slot was empty: the engine has to be told to ``take()``.
    func put(_ progress: RunProgress) -> Bool {
        waiting.withLock { waiting in
            let wasEmpty = waiting == nil
            // Threads that report at the same time may come in the wrong order.
            if let known = waiting, known.current > progress.current { return false }
            waiting = progress
            return wasEmpty
        }
    }

    /// Empties the slot.
    func take() -> RunProgress? { waiting.withLock { $0.take() } }
}
