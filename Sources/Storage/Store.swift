public import Hub
public import Jobs
public import Primitives
import SQLite

/// The data directory's database: jobs, topics and their events.
///
/// Threading: any thread but the cooperative pool's; what is asked of it may block for as long as a transaction takes.
///
/// Call ``close()`` in the end; until then its threads keep its parts, and the directory's lock.
public final class Store: Sendable {
    /// Tells the ids of this directory's events from those of any other; made once with the database. As
    /// `Hub` wants it: a letter first, no dash.
    public let epoch: String
    public let journal: Journal
    /// The past of the topics.
    public let history: StoreHistory
    let directory: DataDirectory
    let durability: Durability
    let limits: StoreLimits
    let time: TimeSource
    private let checkpointer: Checkpointer
    private let health: StoreHealth
    private let retention = Locked<Retention?>(nil)
    private var gate: JournalGate { journal.gate }

    /// Opens the directory's database: makes it if there is none, brings an older one up to date (after a backup), and
    /// commits the number that tells this start from the last.
    ///
    /// A database that is refused stays as it is, to the byte.
    /// - Throws: see ``StoreError/Code``.
    public init(
        _ directory: DataDirectory, durability: Durability = .full, limits: StoreLimits = StoreLimits(),
        time: TimeSource = .system
    ) throws(StoreError) {
        let (core, epoch) = try Database.open(directory, durability: durability, limits: limits, time: time)
        (self.directory, self.durability, self.limits, self.time) = (directory, durability, limits, time)
        self.epoch = epoch
        health = core.health
        let gate = JournalGate(core)
        let checkpointer = Checkpointer(path: directory.databasePath, gate: gate, limits: limits)
        try gate.withCore { [retention] core throws(StoreError) in
            core.onCommit = { commit in
                if commit.logBytes >= limits.walCheckpointBytes { checkpointer.wake() }
                retention.withLock { $0 }?.committed(commit)
            }
        }
        self.checkpointer = checkpointer
        journal = Journal(gate, limits)
        history = StoreHistory(path: directory.databasePath, limits: limits)
    }

    /// The number that was given last: that of the newest event, or of this start.
    public var lastPosition: UInt64 {
        get throws(StoreError) { try gate.withCore { core throws(StoreError) in core.position } }
    }

    public var counters: StoreCounters { health.counters }

    /// Has `report` called with the reason when the store no longer takes writes, and with nil when it does again: from the
    /// thread that tried, with the journal's lock held, so it must be quick.
    public func reportTrouble(to report: @escaping @Sendable (StoreError?) -> Void) { health.report(to: report) }

    /// Lets what was submitted be recorded and told, empties the write-ahead log into the database, closes it and gives
    /// the directory back. What comes later is refused as `closed`. Closing again is harmless.
    public func close() {
        retention.withLock { $0.take() }?.stop()
        journal.finish()
        checkpointer.stop()
        history.stop()
        gate.close { core in _ = try? core.connection.checkpoint(.truncate) }
        directory.release()
    }

    // MARK: Retention

    /// From now on keeps the store within the policy, on a thread of its own, until it is closed. To be called once.
    /// - Parameters:
    ///   - observer: kept until the store is closed.
    ///   - clock: what the interval between two looks is slept on.
    public func startRetention(
        _ policy: StoreRetention, telling observer: any RetentionObserver,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let started = Retention(
            policy, path: directory.databasePath, gate: gate, observer: observer, time: time, clock: clock)
        retention.withLock { retention in
            precondition(retention == nil, "retention is started once")
            retention = started
        }
    }

    /// Has all bounds of the policy looked at now. Returns when they are kept, or can't be.
    public func sweep() async {
        if let retention = retention.withLock({ $0 }) { await retention.sweep() }
    }

    // MARK: Reading

    /// All jobs, keys and tombstones.
    public func loadJobs() throws(StoreError) -> JobRecords {
        try gate.withCore { core throws(StoreError) in try core.connection.jobRecords() }
    }

    /// The topics that clients made, by name.
    public func openTopics() throws(StoreError) -> [(name: String, topic: StoredTopic)] {
        try gate.withCore { core throws(StoreError) in
            try storing { () throws(SQLiteError) in
                var topics: [(name: String, topic: StoredTopic)] = []
                for topic in try core.connection.openTopics() {
                    topics.append((topic.name, try core.connection.stored(topic)))
                }
                return topics
            }
        }
    }

    /// Runs `body` with what is stored of a topic, nil when there is none with this name. Nothing is recorded or told
    /// meanwhile, so that whoever makes a topic of it misses no event. `body` must not call the store.
    public func withStoredTopic<Value: ~Copyable>(
        named name: String, _ body: (StoredTopic?) -> Value
    ) throws(StoreError) -> Value {
        try gate.withCore { core throws(StoreError) in
            guard let topic = try core.topic(named: name) else { return body(nil) }
            return body(try storing { () throws(SQLiteError) in try core.connection.stored(topic) })
        }
    }
}
