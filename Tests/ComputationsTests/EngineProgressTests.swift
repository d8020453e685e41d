import Jobs
import Primitives
import TestSupport
import Testing

@testable import Computations

/// Progress as those who watch a run get it.
@Suite struct EngineProgressTests {
    private static let terms = 100 * SquareRootSum.chunkTerms + 1

    /// The progress of a run that succeeds, and its result.
    private func watch(
        threads: Int, interval: Duration, clock: ManualClock = ManualClock()
    ) async throws -> (progress: [RunProgress], result: JSONValue?) {
        let (pool, sink) = (WorkerPool(threadCount: threads, niceness: 0), EventLog())
        var limits = JobLimits()
        limits.progressInterval = interval
        let engine = JobEngine(
            kinds: KindRegistry([SquareRootSum()]), pool: pool, sink: sink, limits: limits, clock: clock,
            time: clock.timeSource)
        let input: JSONValue = ["terms": .integer(Int64(Self.terms))]
        let receipt = try await engine.start(StartRequest(.newJob(kind: "square-root-sum", input: input)))
        let snapshot = await engine.waitUntilTerminal(receipt.jobID, for: .seconds(60))
        await engine.shutDown()
        pool.stop()
        #expect(snapshot?.currentRun.progress?.current == Self.terms)
        return (sink.progress, snapshot?.currentRun.result)
    }

    @Test func `every report may get through, and none goes back`() async throws {
        let (progress, result) = try await watch(threads: 3, interval: .zero)
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.current < $1.current })
        #expect(progress.last == RunProgress(current: Self.terms, total: Self.terms, unit: "terms"))
        #expect(result == .number(try await compute(.init(terms: Self.terms))))
    }

    /// The clock stands still: the whole run fits into one interval.
    @Test func `within an interval there is the first report and the last`() async throws {
        let (progress, _) = try await watch(threads: 2, interval: .milliseconds(200))
        #expect((1...2).contains(progress.count))
        #expect(progress.last?.current == Self.terms)
    }
}

private final class EventLog: JobEventSink {
    private let log = Locked<[RunProgress]>([])

    var progress: [RunProgress] { log.withLock { $0 } }

    func emit(_ event: JobEvent) {
        if case .progress(let progress) = event.payload { log.withLock { $0.append(progress) } }
    }

    func currentRunChanged(jobID: UniqueID, ordinal: Int) {}
    func runEvicted(jobID: UniqueID, runID: UniqueID) {}
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {}
}
