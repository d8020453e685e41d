import Primitives

/// The work that waits and the workers that compute, as the engine sees them. Confined to its thread.
protocol RunWorkers {
    /// The run may be started later.
    func keep(_ work: @escaping KindRegistry.PreparedWork, for runID: UniqueID)
    /// It won't be.
    func drop(_ runID: UniqueID)
    func start(_ jobID: UniqueID, _ runID: UniqueID)
    /// Asks the run's worker to give up, if it has one.
    func cancel(_ runID: UniqueID)
    func cancelAll()
    /// The run's worker has said its last word.
    func returned(_ runID: UniqueID)
}

/// Work and workers on a ``WorkerPool``, whose words are posted to the engine.
final class WorkerTable: RunWorkers {
    private struct Worker {
        let executor: RunExecutor
        let task: Task<Void, Never>
    }

    private let pool: WorkerPool
    private let interval: Duration
    private let now: @Sendable () -> Duration
    private let post: EngineCore.Post
    private var waiting: [UniqueID: KindRegistry.PreparedWork] = [:]
    private var busy: [UniqueID: Worker] = [:]

    init(
        pool: WorkerPool, interval: Duration, now: @escaping @Sendable () -> Duration,
        post: @escaping EngineCore.Post
    ) {
        self.pool = pool
        self.interval = interval
        self.now = now
        self.post = post
    }

    func keep(_ work: @escaping KindRegistry.PreparedWork, for runID: UniqueID) { waiting[runID] = work }
    func drop(_ runID: UniqueID) { waiting[runID] = nil }
    func returned(_ runID: UniqueID) { busy[runID] = nil }

    func start(_ jobID: UniqueID, _ runID: UniqueID) {
        guard let work = waiting.removeValue(forKey: runID) else {
            preconditionFailure("a run is dispatched once, after its work was kept")
        }
        let flag = CancellationFlag()
        let executor = RunExecutor(pool, cancellation: flag)
        let slot = ProgressSlot()
        let progress = ProgressReporter(interval: interval, now: now) { [post] progress in
            if slot.put(progress) { post(.progress(jobID: jobID, runID: runID, slot)) }
        }
        let context = RunContext(
            workerThreads: pool.threadCount, cancellation: flag, progress: progress.report)
        let task = Task(executorPreference: executor) { [post] in
            let outcome = await outcome(of: work, context)
            post(
                .workerReturned(
                    jobID: jobID, runID: runID, outcome, lastProgress: progress.takePending()))
        }
        busy[runID] = Worker(executor: executor, task: task)
    }

    func cancel(_ runID: UniqueID) {
        guard let worker = busy[runID] else { return }
        worker.executor.cancel()
        worker.task.cancel()
    }

    func cancelAll() {
        for runID in busy.keys { cancel(runID) }
    }
}

private func outcome(of work: KindRegistry.PreparedWork, _ context: RunContext) async -> RunOutcome {
    do {
        try context.checkCancellation()
        return .succeeded(try await work(context))
    } catch is CancellationError {
        return .stopped
    } catch let failure as RunFailure {
        return .failed(failure.problem)
    } catch {
        return .failed(RunProblem(code: "failed", message: "\(error)"))
    }
}
