import Jobs
import Primitives
import Testing

@testable import Computations

@Suite struct CancellationTests {
    private func expectCancelled(_ work: SquareRootSum.Work, threads: Int = 1, _ probe: RunProbe) async {
        await #expect(throws: CancellationError.self) { try await compute(work, threads: threads, probe: probe) }
    }

    /// Even with nothing to add, where no block would look.
    @Test(arguments: [0, 1, 1_000_000]) func `a cancel before the start leaves nothing to do`(_ terms: Int) async {
        let probe = RunProbe()
        probe.flag.raise()
        await expectCancelled(.init(terms: terms), probe)
        #expect(probe.reports.isEmpty)
    }

    /// The last chunk is merged, the sum is complete, and still there is no result.
    @Test(arguments: [1, 3]) func `a cancel after the last block gives no result`(_ threads: Int) async {
        let terms = 10 * SquareRootSum.chunkTerms
        let probe = RunProbe { progress, flag in if progress.current == terms { flag.raise() } }
        await expectCancelled(.init(terms: terms), threads: threads, probe)
        #expect(probe.reports.map(\.current).max() == terms)
    }

    /// The work of ages, cancelled at the first sign of life. Each of the other threads may finish the chunk it is in
    /// the middle of, no more.
    @Test(arguments: [1, 2, 7], [1, 4_096, Int.max])
    func `a cancel midway gives no result and stops within a chunk`(_ threads: Int, _ checkEvery: Int) async {
        let first = Locked(true)
        let reportsAfter = Locked(0)
        let probe = RunProbe { _, flag in
            if flag.isRaised { reportsAfter.withLock { $0 += 1 } }
            if first.withLock({ isFirst in
                defer { isFirst = false }; return isFirst
            }) {
                flag.raise()
            }
        }
        await expectCancelled(.init(terms: .max, checkEvery: checkEvery), threads: threads, probe)
        #expect(reportsAfter.withLock { $0 } < threads)
        #expect(!probe.reports.isEmpty)
    }

    /// The tasks that had to wait for others are let go as well, or the group would never end.
    @Test func `repeated cancels at any moment end every task`() async {
        for chunks in 1...40 {
            let probe = RunProbe { progress, flag in
                if progress.current >= chunks * SquareRootSum.chunkTerms { flag.raise() }
            }
            await expectCancelled(.init(terms: .max), threads: 4, probe)
        }
    }
}
