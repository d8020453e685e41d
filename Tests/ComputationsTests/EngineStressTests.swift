import Jobs
import Primitives
import TestSupport
import Testing

@testable import Computations

/// Many clients on a few jobs, real threads and real sums: whatever happens, the acceptance rule holds.
@Suite struct EngineStressTests {
    private static let jobs = (1...3).map { UniqueID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64($0)) }
    /// From over at once to over only when cancelled, several chunks in between.
    private static let terms = [0, 1, 4, 9, 1_000, 32_768, 32_769, 200_003, 700_001, Int.max]

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `clients that start, replace, queue and cancel never see a stale result`(_ seed: UInt64) async throws {
        var expected: [JSONValue: JSONValue] = [:]
        for terms in Self.terms where terms < .max {
            expected[Self.input(terms)] = .number(try await compute(.init(terms: terms)))
        }
        let observer = RuleObserver()
        let pool = WorkerPool(threadCount: 3, niceness: 0)
        var limits = JobLimits()
        limits.maxRunsPerJob = 10_000
        limits.maxQueuedRunsPerJob = 4
        limits.progressInterval = .zero
        let engine = JobEngine(kinds: KindRegistry([SquareRootSum()]), pool: pool, sink: observer, limits: limits)
        for job in Self.jobs {
            _ = try await engine.start(StartRequest(.newJob(id: job, kind: "square-root-sum", input: Self.input(1))))
        }
        let started = await withTaskGroup(of: Set<UniqueID>.self) { group in
            for client in 0..<8 {
                group.addTask { await Self.client(SplitMix(seed: seed << 8 | UInt64(client)), engine) }
            }
            return await group.reduce(into: Set<UniqueID>()) { $0.formUnion($1) }
        }
        await engine.shutDown(within: .seconds(60))
        pool.stop()

        #expect(observer.breaches == [])
        #expect(observer.runCount == started.count + Self.jobs.count)
        #expect(observer.endedCount == observer.runCount)
        #expect(engine.metrics.busyWorkers == 0)
        #expect(engine.metrics.runsEnded.values.reduce(0, +) == observer.runCount)
        var succeeded = 0
        for run in Self.jobs.compactMap({ engine.job($0).value }).flatMap(\.runs) {
            #expect(run.state.isTerminal)
            #expect(observer.results[run.id] == run.result)
            #expect((run.result != nil) == (run.state == .succeeded))
            guard let result = run.result else { continue }
            succeeded += 1
            #expect(result == expected[run.input], "a result of other terms than \(run.input)")
        }
        // Or all of the above would say nothing.
        #expect(succeeded > 0)
        #expect(engine.metrics.runsEnded[.cancelled, default: 0] > 0)
    }

    private static func input(_ terms: Int) -> JSONValue { ["terms": .integer(Int64(terms)), "checkEvery": 1_024] }

    /// The runs that it started.
    private static func client(_ seeded: SplitMix, _ engine: JobEngine) async -> Set<UniqueID> {
        var random = seeded
        var started: Set<UniqueID> = []
        for _ in 0..<60 {
            let job = jobs.randomElement(using: &random) ?? jobs[0]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let policy = ConflictPolicy.allCases.randomElement(using: &random) ?? .reject
                let terms = terms.randomElement(using: &random) ?? 0
                let timeout: Duration? = random.chance(oneIn: 4) ? .milliseconds(2) : nil
                let request = StartRequest(
                    .existingJob(job, input: input(terms), onConflict: policy), timeout: timeout)
                if let receipt = try? await engine.start(request), receipt.started { started.insert(receipt.runID) }
            case 6..<8:
                _ = try? await engine.cancel(job, force: random.chance(oneIn: 2))
            case 8:
                // One that is often no longer current.
                let run = engine.job(job).value?.runs.suffix(4).randomElement(using: &random)?.id
                await Task.yield()
                _ = try? await engine.cancel(job, runID: run)
            default:
                _ = await engine.waitUntilTerminal(job, for: .milliseconds(3))
            }
        }
        return started
    }
}
