import Primitives

/// The serial point: decides on what reaches the engine, batch by batch, and acts on it.
///
/// Confined to the engine's thread. A batch is one transaction: its verbs are decided in order, their changes recorded
/// by one commit, and only then is anyone told: readers first, then the sink, the callers, the workers. If the commit
/// fails, the batch is tried in parts: see ``perform(batch:)``. What can't be recorded even alone has not happened:
/// callers get an error, and what workers and timers had said is tried again later.
final class EngineCore {
    typealias Post = @Sendable (JobCommand) -> Void

    var book: JobBook
    let kinds: KindRegistry
    private let store: any JobStore
    private let sink: any JobEventSink
    private let index: JobIndex
    private let time: TimeSource
    private let clock: any Clock<Duration>
    let post: Post
    let workers: any RunWorkers
    var timeouts: [UniqueID: Task<Void, Never>] = [:]
    var waiters: WaiterTable
    var recovery: Recovery
    /// Said by workers and timers, but not recorded: to be tried again.
    var deferred: [JobCommand] = []
    var shutdownCallers: [@Sendable () -> Void] = []
    var shutdownTimers: [Task<Void, Never>] = []
    var plannedRetry: Task<Void, Never>?
    private var dropTimer: Task<Void, Never>?
    /// The timer runs, or one step of dropping follows the other.
    var isDropPlanned = false
    /// A commit failed that would have recorded the cancels of a shutdown, or came after such a one.
    var isShutdownUnrecorded = false
    var isAbandoned = false
    /// Nothing is left to do: the thread may end.
    private(set) var isFinished = false

    /// How far it is with the runs that the process before this one left unfinished.
    enum Recovery {
        /// What arrives waits until the owner asks for the recovery.
        case awaited(held: [JobCommand])
        /// Not recorded yet: tried before anything else is decided.
        case unrecorded
        case done
    }

    /// - Parameter book: as it is in `index`.
    init(
        book: JobBook, kinds: KindRegistry, sink: any JobEventSink, store: any JobStore, index: JobIndex,
        workers: any RunWorkers, clock: any Clock<Duration>, time: TimeSource, post: @escaping Post
    ) {
        waiters = WaiterTable(limits: book.limits, clock: clock, post: post)
        recovery = book.hasUnfinishedRuns ? .awaited(held: []) : .done
        (self.book, self.kinds, self.sink, self.store, self.index) = (book, kinds, sink, store, index)
        (self.workers, self.time, self.clock, self.post) = (workers, time, clock, post)
    }

    /// Decides, records and acts on what has arrived.
    func perform(_ arrived: [JobCommand]) {
        let failures = book.metrics.storeFailures
        performBatches(of: afterRecovery(arrived))
        let hasFailed = book.metrics.storeFailures > failures
        if isShutdownUnrecorded || !deferred.isEmpty || hasFailed && !book.queue.isEmpty { planRetry() }
        planDrop()
        if book.metrics.waiters != waiters.count {
            book.metrics.waiters = waiters.count
            index.publish(book.metrics)
        }
        finishShutdownIfIdle()
    }

    typealias Answer = (JobStoreError?) -> Void

    var moment: Moment { Moment(wall: time.wall(), monotonic: time.monotonic()) }

    /// All of what `decide` decides is recorded and acted on, or none of it.
    /// - Parameters:
    ///   - decide: returns what is called with nil when it is recorded, before anything is acted on.
    /// - Returns: why it could not be recorded; nobody has been answered then.
    func transaction(_ decide: () -> [Answer?]) -> JobStoreError? {
        book.begin()
        let answers = decide()
        let (effects, changed) = (book.effects, book.changedJobs)
        if let failure = record(effects, changed) {
            book.commitFailed()
            index.publish(book.metrics)
            return failure
        }
        for answer in answers { answer?(nil) }
        for effect in effects { act(on: effect) }
        waiters.resume(changed: changed) { book.jobs[$0] }
        return nil
    }

    // MARK: Recording

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

    // MARK: Trying again

    func planRetry() {
        guard plannedRetry == nil else { return }
        plannedRetry = after(book.limits.storeRetryInterval, .retry)
    }

    // MARK: Dropping what is over for too long

    func startDropping() {
        guard !isDropPlanned else { return }
        isDropPlanned = true
        post(.dropExpired(behind: 0))
    }

    /// No timer runs while there is nothing that could be dropped.
    private func planDrop() {
        guard !isDropPlanned, !book.isShuttingDown, case .done = recovery, book.hasFinishedJobs else { return }
        isDropPlanned = true
        dropTimer = after(book.limits.retentionInterval, .dropExpired(behind: 0))
    }

    func after(_ duration: Duration, _ command: JobCommand) -> Task<Void, Never> {
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
        dropTimer?.cancel()
        for caller in shutdownCallers { caller() }
        shutdownCallers = []
    }
}
