import Primitives

/// Threads for computations, so that these never sit on the cooperative pool, where as many of them as there are cores
/// would keep every other task waiting.
///
/// The threads have a lower scheduling priority than the rest of the process: a cancel or a tick gets through while
/// every core computes. Tasks take turns in the order in which they become ready; a task gives up its turn at an `await`
/// that suspends, such as ``RunContext/pause()``. The turns of a cancelled run go first: see ``RunExecutor``.
///
/// Call ``stop()`` when the last task has ended; until then the threads keep the pool.
public final class WorkerPool: TaskExecutor {
    /// Far longer than the kernel's default: who decides and delivers need not wait for the end of a worker's slice.
    static let slice = Duration.milliseconds(20)

    public let threadCount: Int
    private let ready: BlockingQueue<Turn>
    private let threads: Locked<[OwnThread]>

    /// - Parameters:
    ///   - threadCount: at least 1.
    ///   - niceness: see nice(2); 0 competes with the rest of the process as an equal, 19 only uses what is left.
    public init(threadCount: Int, niceness: Int32 = 10) {
        precondition(threadCount >= 1)
        self.threadCount = threadCount
        let ready = BlockingQueue<Turn>()
        self.ready = ready
        threads = Locked([])
        let started = (1...threadCount).map { number in
            OwnThread(name: "worker-\(number)", niceness: niceness, slice: Self.slice) { [self] in
                while let turn = ready.take() { run(turn) }
            }
        }
        threads.withLock { $0 = started }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let turn = Turn(job: UnownedJob(job), executor: nil)
        if !ready.put(turn) { run(turn) }
    }

    /// Makes a task of a run ready.
    func enqueue(_ job: consuming ExecutorJob, of executor: RunExecutor) {
        let turn = Turn(job: UnownedJob(job), executor: executor)
        if !ready.put(turn, isUrgent: executor.takesUrgentTurn()) { run(turn) }
    }

    /// Lets what is ready of a run go first. Called after its flag was raised.
    func hasten(_ executor: RunExecutor) { ready.hasten { $0.executor === executor } }

    /// On a thread of the pool; after the stop on the one that made the task ready, since a task must not be lost.
    private func run(_ turn: Turn) {
        turn.job.runSynchronously(on: turn.executor?.asUnownedTaskExecutor() ?? asUnownedTaskExecutor())
    }

    /// Ends the threads once they have run what is ready, and waits for them. Must not be called from one of them.
    public func stop() {
        ready.close()
        let threads = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }
}

/// What a thread runs until the task suspends or ends. Keeps the executor meanwhile.
private struct Turn: Sendable {
    let job: UnownedJob
    /// Nil for a task that has the pool itself for its executor.
    let executor: RunExecutor?
}
