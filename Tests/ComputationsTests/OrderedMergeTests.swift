import Jobs
import Primitives
import TestSupport
import Testing

@testable import Computations

@Suite struct OrderedMergeTests {
    static let window = OrderedMerge.window

    private func claimAll(_ merge: OrderedMerge, upTo count: Int) async -> [Int] {
        var claimed: [Int] = []
        while claimed.count < count, let chunk = await merge.claim() { claimed.append(chunk) }
        return claimed
    }

    @Test func `chunks are handed out in order, each once, and then no more`() async {
        let merge = OrderedMerge(chunkCount: 5)
        #expect(await claimAll(merge, upTo: 9) == [0, 1, 2, 3, 4])
        #expect(await merge.claim() == nil)
        #expect(await OrderedMerge(chunkCount: 0).claim() == nil)
    }

    @Test func `a chunk before its turn waits for those missing`() async {
        let merge = OrderedMerge(chunkCount: 4)
        _ = await claimAll(merge, upTo: 4)
        #expect(merge.deliver(2, 100) == 0)
        #expect(merge.deliver(1, 10) == 0)
        #expect(merge.sum == 0)
        #expect(merge.deliver(0, 1) == 3)
        #expect(merge.sum == 111)
        #expect(merge.deliver(3, 1_000) == 4)
        #expect(merge.sum == 1_111)
    }

    /// Summands whose sum depends on the order, delivered in random orders through several windows.
    @Test func `the sum has the bits of the sum in order`() async {
        var random = SplitMix(seed: 7)
        let summands = (0..<3 * Self.window + 5).map { _ in Double.random(in: -1e9...1e9, using: &random) }
        var inOrder = NeumaierSum()
        for summand in summands { inOrder.add(summand) }
        let merge = OrderedMerge(chunkCount: summands.count)
        var (open, claimed, merged): ([Int], Int, Int) = ([], 0, 0)
        while merged < summands.count {
            // Never one more than there is room for: this task would wait for itself.
            let room = min(merged + Self.window, summands.count) - claimed
            let chunks = await claimAll(merge, upTo: Int.random(in: 0...min(room, 40), using: &random))
            claimed += chunks.count
            open += chunks
            guard !open.isEmpty else { continue }
            let chunk = open.remove(at: Int.random(in: 0..<open.count, using: &random))
            merged = merge.deliver(chunk, summands[chunk])
        }
        #expect(merge.sum.bitPattern == inOrder.value.bitPattern)
        #expect(await merge.claim() == nil)
    }

    /// One thread runs tasks in the order in which they are ready: the second task starts when the first one waits, or,
    /// if it does not wait, when it is over.
    private func claimBeyondWindow(
        chunkCount: Int = .max, then release: @escaping @Sendable (OrderedMerge) -> Void
    ) async -> (claimed: Int?, waited: Bool) {
        let merge = OrderedMerge(chunkCount: chunkCount)
        _ = await claimAll(merge, upTo: Self.window)
        let released = Locked(false)
        let pool = WorkerPool(threadCount: 1, niceness: 0)
        let first = Task(executorPreference: pool) {
            let chunk = await merge.claim()
            return (chunk, released.withLock { $0 })
        }
        let second = Task(executorPreference: pool) {
            released.withLock { $0 = true }
            release(merge)
        }
        await second.value
        let result = await first.value
        pool.stop()
        return result
    }

    @Test func `who is a window ahead waits until the first one missing comes`() async {
        let result = await claimBeyondWindow { merge in
            // These move nothing.
            for chunk in 1..<Self.window { #expect(merge.deliver(chunk, 1) == 0) }
            #expect(merge.deliver(0, 1) == Self.window)
        }
        #expect(result == (Self.window, true))
    }

    @Test func `who waits when it is given up gets nothing`() async {
        let result = await claimBeyondWindow { $0.abort() }
        #expect(result == (nil, true))
    }

    @Test func `who comes after all chunks were claimed does not wait for them`() async {
        let result = await claimBeyondWindow(chunkCount: Self.window) { _ in }
        #expect(result == (nil, false))
    }

    @Test func `after it was given up nobody gets a chunk`() async {
        let merge = OrderedMerge(chunkCount: 10)
        #expect(await merge.claim() == 0)
        merge.abort()
        #expect(await merge.claim() == nil)
        // Who was at it may still deliver.
        #expect(merge.deliver(0, 1) == 1)
        #expect(await merge.claim() == nil)
    }

    /// One chunk in 500 is delivered so late that the others must wait for it.
    @Test func `tasks that outrun each other lose no chunk`() async throws {
        let merge = OrderedMerge(chunkCount: 8 * Self.window)
        let counts = try await onPool(threads: 4) {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        var count = 0
                        while let chunk = await merge.claim() {
                            if chunk % 500 == 0 { for _ in 0..<200 { await Task.yield() } }
                            _ = merge.deliver(chunk, 1)
                            count += 1
                        }
                        return count
                    }
                }
                return await group.reduce(0, +)
            }
        }
        #expect(counts == 8 * Self.window)
        #expect(merge.sum == Double(8 * Self.window))
    }
}
