import Primitives

/// All jobs, the queue for the workers and the idempotency keys: what the engine decides on, without a lock, a clock or
/// I/O.
///
/// Verbs between `begin()` and `commitSucceeded()` form one transaction: they gather what the store has to record
/// (`changes`) and what has to be done afterwards (`effects`). `commitFailed()` takes back all of it.
struct JobBook {
    /// What the rim has to do once the transaction is recorded, in this order.
    enum Effect {
        case job(UniqueID, JobAction)
        case jobEvicted(UniqueID, runIDs: [UniqueID])
        /// The run has work that may be started later.
        case keepWork(runID: UniqueID, KindRegistry.PreparedWork)
    }

    struct QueueEntry {
        let jobID: UniqueID
        let runID: UniqueID
    }

    let limits: JobLimits
    let maxRunningRuns: Int
    /// A stop leaves what waits in the queue.
    let isDurable: Bool
    /// Kinds whose interrupted runs start anew: see ``Computation/restartsAfterInterruption``.
    let restartingKinds: Set<String>

    // The state. Whatever changes it within a transaction tells `undo` how to take the change back.
    private(set) var jobs: [UniqueID: JobSnapshot] = [:]
    private(set) var order = OrderedIDs()
    var keys = BoundedMemory<String, RememberedKey>()
    /// Current runs that wait for a worker.
    var queue: [QueueEntry] = []
    /// Runs whose worker has not returned.
    var busyRuns: Set<UniqueID> = []
    var metrics = JobMetrics()
    private(set) var tombstones = BoundedMemory<UniqueID, Void>()
    private(set) var isShuttingDown = false
    private(set) var lastSerial = 0

    // The transaction.
    private(set) var changes: [JobRecordChange] = []
    private(set) var effects: [Effect] = []
    private(set) var changedJobs: Set<UniqueID> = []
    private var undo: [@Sendable (inout JobBook) -> Void] = []
    private var saved: (queue: [QueueEntry], metrics: JobMetrics)?

    /// Begins with what was recorded before; runs that are not over wait for ``recover(at:work:)``.
    /// - Parameter moment: tells how much of their lives the idempotency keys have left.
    init(
        limits: JobLimits, maxRunningRuns: Int, isDurable: Bool = false, restartingKinds: Set<String> = [],
        records: JobRecords = JobRecords(), at moment: Moment
    ) {
        self.limits = limits
        self.maxRunningRuns = maxRunningRuns
        self.isDurable = isDurable
        self.restartingKinds = restartingKinds
        for snapshot in records.jobs {
            metrics.count(from: nil, to: snapshot)
            jobs[snapshot.id] = snapshot
            order.insert(snapshot.id, serial: snapshot.serial)
        }
        lastSerial = max(records.lastSerial, order.entries.last?.serial ?? 0)
        // Of an ID that was forgotten, used again and dropped again, the newest tombstone counts.
        var buried: Set<UniqueID> = []
        let newest = records.tombstones.reversed().filter { buried.insert($0).inserted }
        for id in newest.prefix(limits.maxTombstones).reversed() { tombstones.put(id, ()) }
        keys = records.remembered(at: moment, within: limits)
        metrics.idempotencyKeys = keys.count
    }

    mutating func begin() {
        saved = (queue, metrics)
    }

    mutating func commitSucceeded() {
        tombstones.trim(to: limits.maxTombstones)
        keys.trim(to: limits.maxIdempotencyKeys)
        metrics.idempotencyKeys = keys.count
        endTransaction()
    }

    mutating func commitFailed() {
        for takeBack in undo.reversed() { takeBack(&self) }
        if let saved { (queue, metrics) = saved }
        metrics.storeFailures += 1
        metrics.busyWorkers = busyRuns.count
        endTransaction()
    }

    private mutating func endTransaction() {
        (changes, effects, undo, saved) = ([], [], [], nil)
        changedJobs = []
    }

    // No way back from this one, recorded or not.
    mutating func beginShutdown() { isShuttingDown = true }

    // MARK: Changes that can be taken back

    mutating func onFailure(_ takeBack: @escaping @Sendable (inout JobBook) -> Void) { undo.append(takeBack) }
    mutating func record(_ change: JobRecordChange) { changes.append(change) }
    mutating func then(_ effect: Effect) { effects.append(effect) }

    /// - Parameter serial: see ``nextSerial()``.
    mutating func insert(_ job: Job, serial: Int) {
        store(JobSnapshot(job: job, version: 1, serial: serial), for: job.id)
        order.insert(job.id, serial: serial)
        onFailure { $0.order.remove(serial: serial) }
    }

    /// Given once, even if the transaction fails, and never again by a process that comes after.
    mutating func nextSerial() -> Int {
        lastSerial += 1
        return lastSerial
    }

    mutating func update(_ job: Job) {
        guard let known = jobs[job.id] else { return }
        let snapshot = JobSnapshot(job: job, version: known.version + 1, serial: known.serial)
        store(snapshot, for: job.id)
        record(.versionChanged(jobID: job.id, snapshot.version))
    }

    mutating func remove(_ snapshot: JobSnapshot) {
        store(nil, for: snapshot.id)
        order.remove(serial: snapshot.serial)
        onFailure { $0.order.insert(snapshot.id, serial: snapshot.serial) }
    }

    /// From now on the ID is gone, not unknown.
    mutating func bury(_ id: UniqueID) {
        tombstones.put(id, ())
        onFailure { $0.tombstones.removeNewest() }
    }

    private mutating func store(_ snapshot: JobSnapshot?, for id: UniqueID) {
        let before = jobs[id]
        metrics.count(from: before, to: snapshot)
        jobs[id] = snapshot
        changedJobs.insert(id)
        onFailure { $0.jobs[id] = before }
    }
}

extension JobMetrics {
    fileprivate mutating func count(from before: JobSnapshot?, to after: JobSnapshot?) {
        if let state = before?.job.currentRun?.state { jobsByState[state, default: 0] -= 1 }
        if let state = after?.job.currentRun?.state { jobsByState[state, default: 0] += 1 }
        queuedRuns += (after?.job.queuedRunCount ?? 0) - (before?.job.queuedRunCount ?? 0)
        keptBytes += (after?.job.bytes ?? 0) - (before?.job.bytes ?? 0)
    }
}
