import Primitives
import Testing

@testable import Jobs

/// On one thread, which a task holds until everything is in its place: the order of the turns is the only one possible.
struct RunExecutorTests {
    private let pool = WorkerPool(threadCount: 1, niceness: 0)
    private let hold = BlockingQueue<Void>()
    private let order = Locked<[String]>([])

    /// Returns once the pool's only thread is held; sending to `hold` lets it go.
    private func holdThread() async {
        let isHeld = BlockingQueue<Void>()
        Task(executorPreference: pool) { [hold] in
            _ = isHeld.put(())
            blockUntilFirst(of: hold)
        }
        await offPool { _ = isHeld.take() }
    }

    /// A task that notes each of its turns.
    private func turns(_ count: Int, of name: String, on executor: any TaskExecutor) -> Task<Void, Never> {
        Task(executorPreference: executor) { [order] in
            for turn in 1...count {
                order.withLock { $0.append(name) }
                if turn < count { await Task.yield() }
            }
        }
    }

    @Test func `what a cancelled run has ready goes first, and what becomes ready later`() async {
        let (cancelled, other) = (executor(), executor())
        await holdThread()
        var tasks = [turns(2, of: "other", on: other), turns(2, of: "pool", on: pool)]
        tasks.append(turns(2, of: "cancelled", on: cancelled))
        cancelled.cancel()
        tasks.append(turns(1, of: "late", on: cancelled))
        _ = hold.put(())
        for task in tasks { await task.value }
        #expect(
            order.withLock { $0 } == ["cancelled", "late", "cancelled", "other", "pool", "other", "pool"])
        await offPool { [pool] in pool.stop() }
    }

    @Test func `runs that were not cancelled take turns in the order in which they become ready`() async {
        let (first, second) = (executor(), executor())
        await holdThread()
        let tasks = [turns(2, of: "first", on: first), turns(2, of: "second", on: second)]
        _ = hold.put(())
        for task in tasks { await task.value }
        #expect(order.withLock { $0 } == ["first", "second", "first", "second"])
        await offPool { [pool] in pool.stop() }
    }

    @Test func `a cancelled run that goes on and on does not keep others out`() async {
        let stubborn = executor()
        await holdThread()
        let bound = RunExecutor.urgentTurns + RunExecutor.urgentTurnsPerThread
        stubborn.cancel()
        let tasks = [turns(1, of: "other", on: executor()), turns(3 * bound, of: "stubborn", on: stubborn)]
        _ = hold.put(())
        for task in tasks { await task.value }
        // `yield` makes the task ready in two steps, so it may be half of them.
        let turnsBefore = order.withLock { $0.firstIndex(of: "other") } ?? 0
        #expect(1...bound ~= turnsBefore)
        await offPool { [pool] in pool.stop() }
    }

    private func executor() -> RunExecutor { RunExecutor(pool, cancellation: CancellationFlag()) }
}

/// Not async, so that the compiler lets it block a thread: it is one of the pool's own.
private func blockUntilFirst(of queue: BlockingQueue<Void>) { _ = queue.take() }
