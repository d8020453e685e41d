/// What a computation may know and do while it runs. Any thread may use it.
public struct RunContext: Sendable {
    /// How many child tasks are worth starting: the threads of the pool, shared with other runs.
    public let workerThreads: Int
    private let flag: CancellationFlag
    private let progress: @Sendable (RunProgress) -> Void

    public init(
        workerThreads: Int, cancellation: CancellationFlag,
        progress: @escaping @Sendable (RunProgress) -> Void
    ) {
        self.workerThreads = workerThreads
        self.flag = cancellation
        self.progress = progress
    }

    /// Whether the run was asked to stop. One relaxed load: cheap enough for an inner loop.
    public var isCancelled: Bool { flag.isRaised }

    /// - Throws: `CancellationError` once the run was asked to stop.
    public func checkCancellation() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Reports how far the run has come, as often as it likes: watchers get the newest value at a bounded rate.
    public func report(_ progress: RunProgress) { self.progress(progress) }

    /// Lets another run have the thread.
    public func pause() async { await Task.yield() }
}
