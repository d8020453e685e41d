import Primitives
import TestSupport

@testable import Jobs

/// The engine's core on the test's own thread, over the lives of many processes. Workers, timers and the store do what
/// the test says and nothing else happens, so that a seed tells all. After each batch every invariant is looked at.
final class Simulation {
    /// A worker's last words.
    struct Said {
        let runID: UniqueID
        let outcome: RunOutcome
        /// The run had been queued so often: what was said is not about a later start.
        let timesQueued: Int
    }

    static let limits: JobLimits = {
        var limits = JobLimits()
        (limits.maxJobs, limits.maxRunsPerJob, limits.maxRunningRuns) = (8, 3, 3)
        (limits.maxQueuedRuns, limits.maxQueuedRunsPerJob) = (8, 2)
        (limits.maxIdempotencyKeys, limits.maxTombstones, limits.maxBytes) = (6, 20, 600)
        (limits.keepFinishedFor, limits.idempotencyKeyLifetime) = (.seconds(200), .seconds(60))
        return limits
    }()

    private static let idle = Idle(kind: "idle", restartsAfterInterruption: false)
    private static let restarting = Idle(kind: "restarting", restartsAfterInterruption: true)
    /// Offered by every other process.
    private static let passing = Idle(kind: "passing", restartsAfterInterruption: false)
    static let kinds = [idle.kind, restarting.kind, passing.kind]

    var random: SplitMix
    private(set) var store: RecordingStore
    private(set) var core: EngineCore
    private(set) var workers = ScriptedWorkers()
    private(set) var history = JobHistory(restartingKinds: [restarting.kind], missingKinds: [passing.kind])
    private(set) var broken: [String] = []
    private(set) var batches = 0
    private(set) var verbs = 0
    private(set) var commits = 0
    private(set) var lives = 1
    /// By the workers of this life.
    var said: [Said] = []
    private let limits: JobLimits
    private var registry: KindRegistry
    private var sink: TellingRecorder
    private var index = JobIndex()
    private let mailbox = Locked<[JobCommand]>([])
    private let elapsed = Locked(Duration.zero)

    init(seed: UInt64, limits: JobLimits = Simulation.limits) {
        random = SplitMix(seed: seed)
        self.limits = limits
        let store = RecordingStore(isDurable: true)
        (self.store, registry) = (store, Self.registry(life: 1))
        sink = TellingRecorder { store.recorded.lastSeqs[$0] ?? 0 }
        core = Self.core(limits, store, registry, sink, index, workers, mailbox, elapsed)
    }

    private static func registry(life: Int) -> KindRegistry {
        KindRegistry(life.isMultiple(of: 2) ? [idle, restarting] : [idle, restarting, passing])
    }

    private static func core(
        _ limits: JobLimits, _ store: RecordingStore, _ registry: KindRegistry, _ sink: TellingRecorder,
        _ index: JobIndex,
        _ workers: ScriptedWorkers, _ mailbox: Locked<[JobCommand]>, _ elapsed: Locked<Duration>
    ) -> EngineCore {
        let time = Self.time(elapsed)
        let book = JobBook(
            limits: limits, maxRunningRuns: limits.maxRunningRuns ?? 1, isDurable: true,
            restartingKinds: registry.restartingKinds, records: store.recorded.records,
            at: Moment(wall: time.wall(), monotonic: time.monotonic()))
        index.load(book)
        return EngineCore(
            book: book, kinds: registry, sink: sink, store: store, index: index, workers: workers,
            clock: SilentClock(), time: time
        ) { command in
            mailbox.withLock { $0.append(command) }
        }
    }

    private static func time(_ elapsed: Locked<Duration>) -> TimeSource {
        TimeSource(
            monotonic: { elapsed.withLock { $0 } },
            wall: {
                let (seconds, attoseconds) = elapsed.withLock { $0.components }
                return Timestamp(millisecondsSinceEpoch: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
            })
    }

    func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

    func id() -> UniqueID { UniqueID(high: random.next(), low: random.next()) }

    /// The kind's work, if this process offers the kind.
    func work(_ kind: String, _ input: JSONValue) -> KindRegistry.PreparedWork? {
        try? registry.prepare(kind: kind, input)
    }

    /// One batch, and all that is posted because of it; then every invariant.
    func perform(_ commands: [JobCommand]) {
        var batch = commands
        repeat {
            verbs += batch.count
            performOnce(batch)
            batch = mailbox.withLock { mailbox in
                defer { mailbox = [] }; return mailbox
            }
        } while !batch.isEmpty && !store.isDead && !core.isFinished
    }

    private func performOnce(_ batch: [JobCommand]) {
        let known = store.commits.count
        core.perform(batch)
        batches += 1
        let recorded = store.commits[known...]
        commits += recorded.count
        for commit in recorded { broken += history.observe(commit) }
        broken += sink.toldEarly.map { "told before it was recorded: \($0)" } + workers.complaints
        broken += store.recorded.complaints
        let told = sink.takeTold()
        // What the process could not tell any more is read from the store by whoever comes back.
        guard !store.isDead else { return }
        let due = recorded.joined().compactMap(Told.init)
        if told != due { broken.append("told \(told), recorded \(due)") }
        broken += differences()
    }

    /// The process is gone, in the middle of whatever it did; another one begins.
    func restart() {
        store = store.reopened()
        lives += 1
        registry = Self.registry(life: lives)
        (index, workers, said) = (JobIndex(), ScriptedWorkers(), [])
        mailbox.withLock { $0 = [] }
        sink = TellingRecorder { [store] in store.recorded.lastSeqs[$0] ?? 0 }
        core = Self.core(limits, store, registry, sink, index, workers, mailbox, elapsed)
        broken += differences()
    }

    /// Where memory, readers, workers and records are not of one mind.
    private func differences() -> [String] {
        let reloaded = JobBook(
            limits: limits, maxRunningRuns: 1, isDurable: true, records: store.recorded.records, at: core.moment)
        var found = core.book.differences(to: reloaded, at: core.moment)
        if Set(index.jobs(JobFilter(), after: nil, limit: 100).jobs) != Set(core.book.jobs.values) {
            found.append("readers see something else")
        }
        guard case .done = core.recovery else { return found }
        if core.book.busyRuns != Set(workers.busy.keys) { found.append("busy: \(core.book.busyRuns)") }
        let queued = core.book.jobs.values.flatMap(\.runs).filter { $0.state == .queued }.map(\.id)
        if !core.book.isShuttingDown, workers.waiting != Set(queued) { found.append("work for \(workers.waiting)") }
        let current = core.book.jobs.values.map(\.currentRun).filter { $0.state == .queued }.map(\.id)
        if core.book.queue.map(\.runID).sorted() != current.sorted() { found.append("queue: \(core.book.queue)") }
        return found
    }
}

/// A kind that no worker ever runs.
private struct Idle: Computation {
    let kind: String
    let restartsAfterInterruption: Bool
    var title: String { kind }
    var summary: String { kind }
    var inputSchema: JSONValue { [:] }
    func validate(_ input: JSONValue) throws(InputError) {}
    func run(_ work: Void, _ context: RunContext) async throws -> JSONValue { .null }
}
