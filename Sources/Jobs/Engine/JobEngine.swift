public import Primitives

/// Runs jobs: the one place where it is decided what a job may do, one verb at a time.
///
/// The serial point is a thread with a mailbox, not an actor, for two reasons: the thread takes all that has arrived at
/// once and records it with one commit, and a commit that blocks holds no thread of the cooperative pool.
///
/// Threading: any thread may call. The async verbs wait for the commit; cancelling the calling task does not take a verb
/// back. Reads never wait for the engine's thread: they see what was recorded last, and who has been told of a change
/// sees it.
///
/// Call ``shutDown(within:)`` in the end; until then the thread keeps the engine's parts.
public final class JobEngine: Sendable {
    public let limits: JobLimits
    let kindRegistry: KindRegistry
    let index = JobIndex()
    let time: TimeSource
    private let mailbox = BlockingQueue<JobCommand>()

    /// - Parameters:
    ///   - pool: where the runs compute; it must live until the engine was shut down.
    ///   - sink: who is told what was decided.
    ///   - records: what the store has of jobs from a process before this one. Readers see them at once; runs that were
    ///     not over wait for ``recover()``.
    ///   - clock: what time limits, waits and retries sleep on.
    ///   - time: what they and the records read the time from.
    public init(
        kinds: KindRegistry, pool: WorkerPool, sink: any JobEventSink,
        store: any JobStore = VolatileJobStore(), records: JobRecords = JobRecords(),
        limits: JobLimits = JobLimits(), clock: any Clock<Duration> = ContinuousClock(), time: TimeSource = .system
    ) {
        (self.limits, self.kindRegistry, self.time) = (limits, kinds, time)
        let book = JobBook(
            limits: limits, maxRunningRuns: limits.maxRunningRuns ?? pool.threadCount, isDurable: store.isDurable,
            restartingKinds: kinds.restartingKinds, records: records,
            at: Moment(wall: time.wall(), monotonic: time.monotonic()))
        index.load(book)
        _ = OwnThread(name: "jobs") { [mailbox, index] in
            // After the end nobody is interested in what workers and timers say.
            let post: EngineCore.Post = { _ = mailbox.put($0) }
            let workers = WorkerTable(pool: pool, interval: limits.progressInterval, now: time.monotonic, post: post)
            let core = EngineCore(
                book: book, kinds: kinds, sink: sink, store: store, index: index, workers: workers, clock: clock,
                time: time, post: post)
            while !core.isFinished { core.perform(mailbox.takeAll()) }
            mailbox.close()
            for command in mailbox.takeAll() { command.refuse() }
        }
    }

    /// The kinds on offer.
    public var kinds: [KindRegistry.Entry] { kindRegistry.entries }

    /// Hands the command to the engine's thread, or refuses it when that has ended.
    func post(_ command: JobCommand) {
        if !mailbox.put(command) { command.refuse() }
    }
}

extension JobCommand {
    /// Answers a command that comes after the end.
    fileprivate func refuse() {
        switch self {
        case .recover(let reply): reply(JobRecovery())
        case .start(_, let reply): reply(.failure(.stopped))
        case .cancel(_, let reply): reply(.failure(.stopped))
        case .wait(let waiter): waiter.resume()
        case .shutDown(_, let reply): reply()
        case .progress, .workerReturned, .timedOut, .waitEnded, .dropExpired, .retry, .abandonWorkers:
            break
        }
    }
}
