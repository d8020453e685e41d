import Jobs
import Primitives
import TestSupport
import Testing

struct WaitTests {
    @Test func `a wait ends with the time it was given`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            let wait = Task { await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(5)) }
            await rig.clock.waitForSleepers()
            rig.clock.advance(by: .seconds(5))
            #expect(await wait.value?.state == .running)
        }
    }

    @Test func `no wait is longer than the bound`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            let wait = Task { await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(1_000_000)) }
            await rig.clock.waitForSleepers()
            rig.clock.advance(by: rig.engine.limits.maxWait)
            #expect(await wait.value?.state == .running)
        }
    }

    @Test func `a wait ends with its task`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            let wait = Task { await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(5)) }
            await rig.clock.waitForSleepers()
            wait.cancel()
            #expect(await wait.value?.state == .running)
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(5))
            }
            #expect(await cancelled.value?.state == .running)
        }
    }

    @Test func `a wait for one run does not wait for the next`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a")
            try await rig.startRun(of: first.jobID, "b", .queue)
            let wait = Task {
                await rig.engine.waitUntilTerminal(first.jobID, runID: first.runID, for: .seconds(5))
            }
            await rig.clock.waitForSleepers()
            rig.computation.succeed("a", 1)
            let snapshot = await wait.value
            #expect(snapshot?.run(first.runID)?.result == 1)
            #expect(snapshot?.job.isTerminal == false)
        }
    }

    @Test func `nobody waits for nothing, nor beyond the bound`() async throws {
        try await Rig.run {
            $0.maxWaiters = 1
        } _: { rig in
            #expect(await rig.engine.waitUntilTerminal(.random(), for: .seconds(5)) == nil)
            let job = try await rig.create("a")
            let wait = Task { await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(5)) }
            await rig.clock.waitForSleepers()
            #expect(rig.engine.metrics.waiters == 1)
            #expect(await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(5))?.state == .running)
            rig.computation.succeed("a")
            #expect(await wait.value?.state == .succeeded)
        }
    }
}
