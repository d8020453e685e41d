import Primitives

/// Threads for computations, so that these never sit on the cooperative pool, where as many of them as there are cores
/// would keep every other task waiting.
///
/// The threads have a lower scheduling priority than the rest of the process: a cancel or a tick gets through while
/// every core computes. Tasks take turns in the order in which they become ready; a task gives up its turn at an `await`
/// that suspends, such as ``RunContext/pause()``.
///
/// Call ``stop()`` when the last task has ended; until then the threads keep the pool.
public final class WorkerPool: TaskExecutor {
    public let threadCount: Int
    private let ready: BlockingQueue<UnownedJob>
    private let threads: Locked<[OwnThread]>

    /// - Parameters:
    ///   - threadCount: at least 1.
    ///   - niceness: see nice(2); 0 competes with the rest of the process as an equal, 19 only uses what is left.
    public init(threadCount: Int, niceness: Int32 = 10) {
        precondition(threadCount >= 1)
        self.threadCount = threadCount
        let ready = BlockingQueue<UnownedJob>()
        self.ready = ready
        threads = Locked([])
        let started = (1...threadCount).map { number in
            OwnThread(name: "worker-\(number)", niceness: niceness) { [self] in
                while let job = ready.take() {
                    job.runSynchronously(on: self.asUnownedTaskExecutor())
                }
            }
        }
        threads.withLock { $0 = started }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // After the stop the thread that made the task ready runs it: a task must not be lost.
        if !ready.put(job) { job.runSynchronously(on: asUnownedTaskExecutor()) }
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
