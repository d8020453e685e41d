import Primitives

/// The serial point: decides on what reaches the engine, batch by batch, and acts on it.
///
/// Confined to the engine's thread. A batch is one transaction: its verbs are decided in order, their changes recorded
/// by one commit, and only then is anyone told: readers first, then the sink, the callers, the workers. If the commit
/// fails, the batch has not happened: callers get an error, and what workers and timers had said is tried again later.
final class EngineCore {
    typealias Post = @Sendable (JobCommand) -> Void

    private var book: JobBook
    private let store: any JobStore
    private let sink: any JobEventSink
    private let index: JobIndex
    private let time: TimeSource
    private let clock: any Clock<Duration>
    private let post: Post
    private let workers: WorkerTable
    private var timeouts: [UniqueID: Task<Void, Never>] = [:]
    private var waiters: WaiterTable
    /// Said by workers and timers, but not recorded: to be tried again.
    private var deferred: [JobCommand] = []
    private var shutdownCallers: [@Sendable () -> Void] = []
    private var shutdownTimers: [Task<Void, Never>] = []
    private var plannedRetry: Task<Void, Never>?
    /// A commit failed that would have recorded the cancels of a shutdown, or came after such a one.
    private var isShutdownUnrecorded = false
    private var isAbandoned = false
    /// Nothing is left to do: the thread may end.
    private(set) var isFinished = false

    init(
        pool: WorkerPool, sink: any JobEventSink, store: any JobStore, index: JobIndex,
        limits: JobLimits, clock: any Clock<Duration>, time: TimeSource, post: @escaping Post
    ) {
        book = JobBook(limits: limits, maxRunningRuns: limits.maxRunningRuns ?? pool.threadCount)
        workers = WorkerTable(pool: pool, interval: limits.progressInterval, now: time.monotonic, post: post)
        waiters = WaiterTable(limits: limits, clock: clock, post: post)
        (self.store, self.sink, self.index) = (store, sink, index)
        (self.time, self.clock, self.post) = (time, clock, post)
    }

    /// Decides, records and acts on a batch.
    func perform(_ arrived: [JobCommand]) {
        let batch = arrived.flatMap(withDeferred)
        book.begin()
        var answers: [(JobStoreError?) -> Void] = []
        if isShutdownUnrecorded {
            // First, or what the workers bring would not look like the work of a shutdown.
            book.cancelAll(.shutdown, at: Moment(wall: time.wall(), monotonic: time.monotonic()))
        }
        for command in batch {
            let moment = Moment(wall: time.wall(), monotonic: time.monotonic())
            decide(command, at: moment, &answers)
            book.dispatchQueued(at: moment)
        }
        let (effects, changed) = (book.effects, book.changedJobs)
        if let failure = record(effects, changed) {
            book.commitFailed()
            isShutdownUnrecorded = book.isShuttingDown
            index.publish(book.metrics)
            deferUnrecorded(batch)
            for answer in answers { answer(failure) }
        } else {
            isShutdownUnrecorded = false
            for answer in answers { answer(nil) }
            for effect in effects { act(on: effect) }
            waiters.resume(changed: changed) { book.jobs[$0] }
        }
        if book.metrics.waiters != waiters.count {
            book.metrics.waiters = waiters.count
            index.publish(book.metrics)
        }
        finishShutdownIfIdle()
    }

    // MARK: Deciding

    private func decide(
        _ command: JobCommand, at moment: Moment, _ answers: inout [(JobStoreError?) -> Void]
    ) {
        switch command {
        case .start(let start, let reply):
            let result = Result { () throws(JobError) in try book.start(start, at: moment) }
            answers.append { reply($0.map { .failure(.unavailable($0)) } ?? result) }
        case .cancel(let request, let reply):
            let result = Result { () throws(JobError) in try book.cancel(request, at: moment) }
            answers.append { reply($0.map { .failure(.unavailable($0)) } ?? result) }
        case .progress(let jobID, let runID, let slot):
            if let progress = slot.take() { book.progress(jobID, runID, progress, at: moment) }
        case .workerReturned(let jobID, let runID, let outcome, let lastProgress):
            workers.returned(runID)
            book.workerReturned(runID)
            book.runFinished(jobID, runID, outcome, lastProgress: lastProgress, at: moment)
        case .timedOut(let jobID, let runID):
            timeouts[runID] = nil
            book.timedOut(jobID, runID, at: moment)
        case .wait(let waiter):
            // Looks at the job as it is recorded, so only after the commit.
            answers.append { [self] _ in waiters.add(waiter) { book.jobs[$0] } }
        case .waitEnded(let id):
            // In its place behind the wait, which may be in the same batch.
            answers.append { [self] _ in waiters.end(id) }
        case .retry:
            break
        case .shutDown(let bound, let reply):
            shutdownCallers.append(reply)
            shutdownTimers.append(after(bound, .abandonWorkers))
            book.beginShutdown()
            book.cancelAll(.shutdown, at: moment)
            // Whether or not this is recorded.
            workers.cancelAll()
        case .abandonWorkers:
            book.abandonRuns(at: moment)
            isAbandoned = true
        }
    }

    /// Records the batch's changes and tells readers and the sink of them.
    /// - Returns: why it failed; nil when there was nothing to record, or all of it is.
    private func record(_ effects: [JobBook.Effect], _ changed: Set<UniqueID>) -> JobStoreError? {
        let tellAll = { [self] in
            book.commitSucceeded()
            index.publish(changed: changed.map { ($0, book.jobs[$0]) }, from: book)
            for effect in effects { tell(effect) }
        }
        guard !book.changes.isEmpty else {
            tellAll()
            return nil
        }
        do throws(JobStoreError) {
            try store.commit(book.changes, telling: tellAll)
            return nil
        } catch {
            return error
        }
    }

    // MARK: What a failed commit leaves undone

    private func withDeferred(_ command: JobCommand) -> [JobCommand] {
        switch command {
        case .retry:
            plannedRetry = nil
            defer { deferred = [] }
            return deferred
        case .shutDown:
            // The last chance: a result comes before the shutdown's cancel, as it did when the worker brought it.
            defer { deferred = [] }
            return deferred + [command]
        default:
            return [command]
        }
    }

    /// A worker's outcome and a timer's call are said only once, so they are kept. Progress is not: more will follow.
    private func deferUnrecorded(_ batch: [JobCommand]) {
        deferred += batch.filter { command in
            switch command {
            case .workerReturned, .timedOut: true
            default: false
            }
        }
        let isWorthRetrying = isShutdownUnrecorded || !deferred.isEmpty || !book.queue.isEmpty
        guard plannedRetry == nil, isWorthRetrying else { return }
        plannedRetry = after(book.limits.storeRetryInterval, .retry)
    }

    private func after(_ duration: Duration, _ command: JobCommand) -> Task<Void, Never> {
        Task { [clock, post] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            post(command)
        }
    }

    // MARK: Acting

    private func tell(_ effect: JobBook.Effect) {
        switch effect {
        case .job(_, .emit(let event)): sink.emit(event)
        case .job(let jobID, .currentRunChanged(let ordinal)):
            sink.currentRunChanged(jobID: jobID, ordinal: ordinal)
        case .job(let jobID, .runEvicted(let runID)): sink.runEvicted(jobID: jobID, runID: runID)
        case .jobEvicted(let jobID, let runIDs): sink.jobEvicted(jobID: jobID, runIDs: runIDs)
        case .job, .keepWork: break
        }
    }

    private func act(on effect: JobBook.Effect) {
        switch effect {
        case .keepWork(let runID, let work): workers.keep(work, for: runID)
        case .job(_, .dequeue(let runID)): workers.drop(runID)
        case .job(let jobID, .startWorker(let runID)): workers.start(jobID, runID)
        case .job(_, .cancelWorker(let runID)): workers.cancel(runID)
        case .job(let jobID, .armTimeout(let runID, let duration)):
            timeouts[runID] = after(duration, .timedOut(jobID: jobID, runID: runID))
        case .job(_, .disarmTimeout(let runID)): timeouts.removeValue(forKey: runID)?.cancel()
        case .job, .jobEvicted: break
        }
    }

    private func finishShutdownIfIdle() {
        guard !shutdownCallers.isEmpty, book.busyRuns.isEmpty || isAbandoned else { return }
        isFinished = true
        waiters.endAll()
        for timer in timeouts.values + shutdownTimers { timer.cancel() }
        plannedRetry?.cancel()
        for caller in shutdownCallers { caller() }
        shutdownCallers = []
    }
}

extension JobError {
    fileprivate static func unavailable(_ error: JobStoreError) -> JobError {
        JobError(
            .storeUnavailable, "The request could not be recorded, so nothing was done. Try again later.",
            underlying: error)
    }
}
