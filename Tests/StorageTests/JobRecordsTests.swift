import Jobs
import Primitives
import Storage
import TestSupport
import Testing

/// Jobs through the real engine into the store and back.
struct JobRecordsTests {
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `what is loaded is what the engine had, whatever was done to the jobs`(_ seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let folder = Folder()
        let store = try open(folder) { ($0.maxTombstones, $0.maxIdempotencyKeys) = (20, 8) }
        let pool = WorkerPool(threadCount: 2, niceness: 0)
        var limits = JobLimits()
        (limits.maxJobs, limits.maxRunsPerJob, limits.maxTombstones) = (12, 3, 20)
        limits.maxIdempotencyKeys = 8
        let journal = TestJobStore(store)
        let engine = JobEngine(
            kinds: KindRegistry([MoodyComputation()]), pool: pool, sink: SilentSink(), store: journal, limits: limits)
        var jobs: [UniqueID] = []
        for step in 0..<300 {
            await act(on: engine, step, &jobs, &random)
        }
        await engine.shutDown()
        pool.stop()
        let kept = engine.jobs(limit: 1_000).jobs
        #expect(kept.count == 12)
        let expected = Array(kept.reversed())
        let before = try store.loadJobs()
        #expect(before.jobs == expected)
        store.close()
        let again = try open(folder)
        defer { again.close() }
        let records = try again.loadJobs()
        #expect(records.jobs == expected)
        #expect(records == before)
        #expect(records.lastSerial == expected.last?.serial)
        #expect(records.keys == journal.keys.suffix(limits.maxIdempotencyKeys))
        #expect(records.tombstones.count == 20)
        #expect(records.tombstones == journal.evicted.suffix(20))
    }

    private func act(
        on engine: JobEngine, _ step: Int, _ jobs: inout [UniqueID], _ random: inout SplitMix
    ) async {
        let input: JSONValue = [
            "mood": .integer(.random(in: 0..<5, using: &random)), "text": .string("ä\"\u{1}\(step)"),
        ]
        let timeout: Duration? = random.chance(oneIn: 3) ? .milliseconds(1_500) + .nanoseconds(step) : nil
        let key: IdempotencyKey? = random.chance(oneIn: 4) ? IdempotencyKey("k\(step)", fingerprint: "f\(step)") : nil
        let policy = ConflictPolicy.allCases.randomElement(using: &random)!
        switch Int.random(in: 0..<6, using: &random) {
        case 0...1:
            let request = StartRequest(.newJob(kind: "moody", input: input), timeout: timeout, idempotencyKey: key)
            if let receipt = try? await engine.start(request) { jobs.append(receipt.jobID) }
        case 2...3:
            guard let job = jobs.suffix(12).randomElement(using: &random) else { return }
            let own = random.chance(oneIn: 2) ? input : nil
            _ = try? await engine.start(
                StartRequest(
                    .existingJob(job, input: own, onConflict: policy), timeout: timeout, idempotencyKey: key))
        case 4:
            guard let job = jobs.suffix(12).randomElement(using: &random) else { return }
            _ = try? await engine.cancel(
                job, reason: CancelReason(.user, note: "step \(step)"), force: random.chance(oneIn: 3))
        default:
            guard let job = jobs.suffix(4).randomElement(using: &random) else { return }
            _ = await engine.waitUntilTerminal(job, for: .milliseconds(2))
        }
    }

    @Test func `a timeout comes back to the attosecond, and a result with the same text`() throws {
        let folder = Folder()
        let store = try open(folder)
        let timeout = Duration(secondsComponent: 1, attosecondsComponent: 500_000_000_000_000_001)
        let job = Job(
            id: .job(1), kind: "k", input: 6.0, timeout: timeout, createdAt: Timestamp(millisecondsSinceEpoch: -1))
        let result: JSONValue = [
            "sum": 21_081_851.083_600_37, "whole": 6.0, "big": 1e300, "max": .integer(.max), "none": nil,
            "text": "\u{0}\u{1F}\"\\/é\u{1F600}", "list": [1, 2.5, [], [:], true],
        ]
        try store.journal.record { recording throws(StoreError) in
            try recording.apply(.jobCreated(job, serial: 7))
            try recording.apply(
                .runChanged(jobID: job.id, .sample(1, ordinal: 1, .succeeded, input: 6.0, result: result)))
        }
        store.close()
        let again = try open(folder)
        defer { again.close() }
        let records = try again.loadJobs()
        #expect(records.lastSerial == 7)
        #expect(records.jobs.first?.job.timeout == timeout)
        #expect(records.jobs.first?.job.createdAt == job.createdAt)
        #expect(records.jobs.first?.currentRun.timeout == Duration(secondsComponent: 3, attosecondsComponent: 1))
        #expect(records.jobs.first?.currentRun.result?.text == result.text)
    }

    @Test func `a run's own input is kept, however the run changes, and the job's is not copied`() throws {
        let folder = Folder()
        let store = try open(folder)
        defer { store.close() }
        try store.journal.record { recording throws(StoreError) in
            try recording.apply(.jobCreated(.sample(1), serial: 1))
            try recording.apply(.runChanged(jobID: .job(1), .sample(1, ordinal: 1, .queued)))
            for state in [RunState.queued, .running, .succeeded] {
                try recording.apply(.runChanged(jobID: .job(1), .sample(2, ordinal: 2, state, input: ["terms": 9])))
            }
        }
        let runs = try #require(try store.loadJobs().jobs.first).runs
        #expect(runs.map(\.input) == [["terms": 5], ["terms": 9]])
        #expect(try dump(folder.file("runcast.db")).count { $0.hasPrefix("run_inputs") } == 1)
    }

    @Test func `the runs that are overtaken are those that are older and not over`() throws {
        let store = try open(Folder())
        defer { store.close() }
        let states: [RunState] = [.succeeded, .cancelling, .running, .lost, .queued, .queued]
        let overtaken = try store.journal.record { recording throws(StoreError) in
            try recording.apply(.jobCreated(.sample(1), serial: 1))
            for (index, state) in states.enumerated() {
                try recording.apply(.runChanged(jobID: .job(1), .sample(index + 1, ordinal: index + 1, state)))
            }
            return try recording.unfinishedRuns(of: .job(1), below: 6)
        }
        #expect(overtaken == [.run(2), .run(3), .run(5)])
    }
}
