import Primitives
import TestSupport

@testable import Jobs

/// An engine with everything around it under the test's control.
struct Rig: Sendable {
    let clock: ManualClock
    let computation = GatedComputation()
    /// Of a kind that starts anew after an interruption.
    let restarting = GatedComputation(kind: "restarting", restartsAfterInterruption: true)
    let sink = EventRecorder()
    let store: RecordingStore
    let pool: WorkerPool
    let engine: JobEngine

    /// Runs `body` with an engine, and takes everything down afterwards, whatever is still running.
    /// - Parameters:
    ///   - store: what it has of jobs is what the engine begins with.
    ///   - offersGated: whether the kind of ``create(_:id:stubborn:timeout:key:)`` is on offer.
    static func run(
        workers: Int = 2, store: RecordingStore = RecordingStore(), clock: ManualClock = ManualClock(),
        offersGated: Bool = true, _ adjust: (inout JobLimits) -> Void = { _ in }, _ body: (Rig) async throws -> Void
    ) async throws {
        var limits = JobLimits()
        adjust(&limits)
        let rig = Rig(workers: workers, store: store, clock: clock, offersGated: offersGated, limits: limits)
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig)) } catch { result = .failure(error) }
        await rig.takeDown()
        rig.pool.stop()
        try result.get()
    }

    private init(
        workers: Int, store: RecordingStore, clock: ManualClock, offersGated: Bool, limits: JobLimits
    ) {
        (self.store, self.clock) = (store, clock)
        pool = WorkerPool(threadCount: workers, niceness: 0)
        engine = JobEngine(
            kinds: KindRegistry(offersGated ? [computation, restarting] : [restarting]), pool: pool, sink: sink,
            store: store, records: store.recorded.records, limits: limits, clock: clock, time: clock.timeSource)
    }

    /// Ends all runs and waits for the workers.
    func takeDown() async {
        store.isFailing = false
        store.beforeCommit(nil)
        store.refuse(nil)
        sink.onEvent(nil)
        computation.open()
        restarting.open()
        await engine.shutDown()
    }

    @discardableResult
    func create(
        _ name: String, kind: String = "gated", id: UniqueID? = nil, stubborn: Bool = false,
        timeout: Duration? = nil, key: IdempotencyKey? = nil
    ) async throws(JobError) -> StartReceipt {
        try await engine.start(
            StartRequest(
                .newJob(id: id, kind: kind, input: Rig.input(name, stubborn)), timeout: timeout,
                idempotencyKey: key))
    }

    @discardableResult
    func startRun(
        of jobID: UniqueID, _ name: String, _ policy: ConflictPolicy = .reject, stubborn: Bool = false,
        key: IdempotencyKey? = nil
    ) async throws(JobError) -> StartReceipt {
        try await engine.start(
            StartRequest(
                .existingJob(jobID, input: Rig.input(name, stubborn), onConflict: policy), idempotencyKey: key))
    }

    /// Looks at what is over for too long, and returns when that is done.
    func dropExpired() async {
        engine.post(.dropExpired(behind: 0))
        _ = await code { try await engine.cancel(.random()) }
    }

    /// Runs a job from its start to its result.
    @discardableResult
    func complete(_ name: String, id: UniqueID? = nil) async throws(JobError) -> StartReceipt {
        let receipt = try await create(name, id: id)
        computation.succeed(name)
        _ = await engine.waitUntilTerminal(receipt.jobID, for: .seconds(60))
        return receipt
    }

    static func input(_ name: String, _ stubborn: Bool = false) -> JSONValue {
        stubborn ? ["name": .string(name), "stubborn": true] : ["name": .string(name)]
    }
}

/// The code of the error that `body` throws; nil when it throws none.
func code(_ body: () async throws -> some Any) async -> JobError.Code? {
    do {
        _ = try await body()
        return nil
    } catch { return (error as? JobError)?.code }
}
