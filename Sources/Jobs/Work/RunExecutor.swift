import Synchronization

/// The executor of one run's task and its children: their turns on the threads of a ``WorkerPool``.
///
/// Once the run was cancelled its turns go before those of all others. It has a handful left, in which its tasks look at
/// the flag and give up one after another; were each to wait until everybody else had a turn, a cancel would take the
/// longer the more runs there are.
final class RunExecutor: TaskExecutor {
    /// Urgent turns that a cancelled run gets, beside ``urgentTurnsPerThread``; a `yield` takes two. A computation that does not look at the
    /// cancellation then waits for its turns like any other, and can't keep others out.
    static let urgentTurns = 64
    /// For each thread of the pool: a child task may run on it, has to notice, and wakes its parent.
    static let urgentTurnsPerThread = 4

    private let pool: WorkerPool
    private let flag: CancellationFlag
    private let urgentTurnsLeft: Atomic<Int>

    init(_ pool: WorkerPool, cancellation flag: CancellationFlag) {
        self.pool = pool
        self.flag = flag
        urgentTurnsLeft = Atomic(Self.urgentTurns + Self.urgentTurnsPerThread * pool.threadCount)
    }

    func enqueue(_ job: consuming ExecutorJob) { pool.enqueue(job, of: self) }

    /// Raises the flag and lets what is ready go first.
    func cancel() {
        flag.raise()
        pool.hasten(self)
    }

    /// Whether the next turn goes first; it is counted then. Called with the pool's queue locked.
    func takesUrgentTurn() -> Bool {
        flag.isRaised && urgentTurnsLeft.subtract(1, ordering: .relaxed).oldValue > 0
    }
}
