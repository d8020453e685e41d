import CLinux
import Glibc
import Primitives
import Testing

@testable import Jobs

struct WorkerPoolTests {
    @Test func `tasks and their children run on the pool's threads, nicer than the rest`() async {
        let pool = WorkerPool(threadCount: 1, niceness: 5)
        let own = currentNiceness()
        let niceness = await Task(executorPreference: pool) {
            await withTaskGroup(of: Int32.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        await Task.yield()
                        return currentNiceness()
                    }
                }
                return await group.reduce(into: [currentNiceness()]) { $0.append($1) }
            }
        }.value
        #expect(niceness == Array(repeating: min(own + 5, 19), count: 4))
        #expect(currentNiceness() == own)
        await offPool { pool.stop() }
    }

    @Test(.enabled(if: kernelKnowsSlices()))
    func `workers ask for long slices, the others do not`() async {
        let pool = WorkerPool(threadCount: 1, niceness: 0)
        let own = linux_thread_slice()
        let slice = await Task(executorPreference: pool) { linux_thread_slice() }.value
        #expect(slice == 20_000_000)
        #expect(linux_thread_slice() == own && own < slice)
        await offPool { pool.stop() }
    }

    @Test func `tasks that pause take turns on one thread`() async {
        let pool = WorkerPool(threadCount: 1, niceness: 0)
        let order = Locked<[String]>([])
        let bothAreReady = Locked(0)
        let tasks = ["a", "b"].map { name in
            Task(executorPreference: pool) {
                bothAreReady.withLock { $0 += 1 }
                while bothAreReady.withLock({ $0 }) < 2 { await Task.yield() }
                for _ in 0..<3 {
                    order.withLock { $0.append(name) }
                    await Task.yield()
                }
            }
        }
        for task in tasks { await task.value }
        let turns = order.withLock { $0 }
        #expect(turns.count == 6)
        #expect(zip(turns, turns.dropFirst()).allSatisfy { $0.0 != $0.1 }, "\(turns)")
        await offPool { pool.stop() }
    }

    @Test func `a task that becomes ready after the stop is not lost`() async {
        let pool = WorkerPool(threadCount: 1, niceness: 0)
        await offPool { pool.stop() }
        #expect(await Task(executorPreference: pool) { 7 }.value == 7)
    }
}

/// Since Linux 6.12 it tells the slice of every thread.
private func kernelKnowsSlices() -> Bool { linux_thread_slice() > 0 }

private func currentNiceness() -> Int32 { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
