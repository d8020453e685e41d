import Synchronization

/// Tells a computation, on whatever thread it looks, that its run was cancelled. Looking costs one relaxed load.
public final class CancellationFlag: Sendable {
    private let raised = Atomic(false)

    public init() {}

    public var isRaised: Bool { raised.load(ordering: .relaxed) }

    /// For good: it cannot be lowered.
    public func raise() { raised.store(true, ordering: .relaxed) }
}
