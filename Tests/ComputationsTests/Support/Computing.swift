import Jobs
import Primitives

@testable import Computations

extension SquareRootSum.Work {
    init(terms: Int) { self.init(terms: terms, checkEvery: SquareRootSum.defaultCheckEvery) }
}

/// The cancellation and the reports of one run, in the hands of a test.
final class RunProbe: Sendable {
    let flag = CancellationFlag()
    private let log = Locked<[RunProgress]>([])
    private let onReport: @Sendable (RunProgress, CancellationFlag) -> Void

    /// - Parameter onReport: called on the thread that reports, before the report is kept.
    init(onReport: @escaping @Sendable (RunProgress, CancellationFlag) -> Void = { _, _ in }) {
        self.onReport = onReport
    }

    var reports: [RunProgress] { log.withLock { $0 } }

    fileprivate func context(threads: Int) -> RunContext {
        RunContext(workerThreads: threads, cancellation: flag) { [self] progress in
            onReport(progress, flag)
            log.withLock { $0.append(progress) }
        }
    }
}

/// Runs the computation on threads of its own, as the engine does.
func compute(
    _ work: SquareRootSum.Work, threads: Int = 1, kernel: SquareRootKernel = .best, probe: RunProbe = RunProbe()
) async throws -> Double {
    let result = try await onPool(threads: threads) {
        try await SquareRootSum(kernel: kernel).run(work, probe.context(threads: threads))
    }
    guard case .number(let sum) = result else { throw NotANumber(result: result) }
    return sum
}

struct NotANumber: Error {
    let result: JSONValue
}

/// Runs `body` on a pool of its own and takes that down afterwards.
func onPool<Value: Sendable>(
    threads: Int, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let pool = WorkerPool(threadCount: threads, niceness: 0)
    let result = await Task(executorPreference: pool) { try await body() }.result
    pool.stop()
    return try result.get()
}
