public import Jobs
public import Primitives

/// The kind `square-root-sum`: the sum of the square roots of 1, 2, ..., `terms`, as a double.
///
/// The result is the same, bit for bit, for any number of threads, any `checkEvery` and any instruction set: terms are
/// summed in chunks of a fixed size, each chunk in eight lanes, and the sums of the chunks are added in order with
/// compensation. Memory is constant for any number of terms.
public struct SquareRootSum: Computation {
    /// A valid input.
    public struct Work: Sendable, Hashable {
        /// 0 or more.
        public let terms: Int
        /// The cancellation is looked at once in this many terms, rounded up to a multiple of 8, and at least once in
        /// each chunk. Greater than 0.
        public let checkEvery: Int
    }

    static let chunkTerms = 32_768
    /// Chunks, about a millisecond, until another run may have the thread.
    static let chunksPerTurn = 32

    private let kernel: SquareRootKernel

    public init() { kernel = .best }
    init(kernel: SquareRootKernel) { self.kernel = kernel }

    public func run(_ work: Work, _ context: RunContext) async throws -> JSONValue {
        try context.checkCancellation()
        let sum = try await sum(work, context)
        try context.checkCancellation()
        return .number(sum)
    }

    private func sum(_ work: Work, _ context: RunContext) async throws -> Double {
        let chunkCount = work.terms / Self.chunkTerms + (work.terms % Self.chunkTerms == 0 ? 0 : 1)
        let merge = OrderedMerge(chunkCount: chunkCount)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<min(context.workerThreads, chunkCount) {
                group.addTask { try await addChunks(of: work, to: merge, context) }
            }
            try await group.waitForAll()
        }
        return merge.sum
    }

    private func addChunks(of work: Work, to merge: OrderedMerge, _ context: RunContext) async throws {
        var chunksDone = 0
        while let chunk = await merge.claim() {
            let chunkSum: Double
            do {
                chunkSum = try sumOfChunk(chunk, of: work, context)
            } catch {
                merge.abort()
                throw error
            }
            let merged = merge.deliver(chunk, chunkSum)
            let current = merged > work.terms / Self.chunkTerms ? work.terms : merged * Self.chunkTerms
            context.report(RunProgress(current: current, total: work.terms, unit: "terms"))
            chunksDone += 1
            if chunksDone % Self.chunksPerTurn == 0 { await context.pause() }
        }
    }

    private func sumOfChunk(
        _ chunk: Int, of work: Work, _ context: RunContext
    ) throws(CancellationError) -> Double {
        var lanes: SquareRootKernel.Lanes = .init(repeating: 0)
        let start = chunk * Self.chunkTerms
        let count = min(Self.chunkTerms, work.terms - start)
        let blockTerms = (min(work.checkEvery, Self.chunkTerms) + 7) / 8 * 8
        var done = 0
        while done < count {
            try context.checkCancellation()
            let block = min(blockTerms, count - done)
            kernel.add(first: UInt64(start + done) + 1, count: UInt64(block), to: &lanes)
            done += block
        }
        // Halves to halves: the order is part of the result.
        return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
    }
}
