import Jobs
import Primitives
import TestSupport
import Testing

struct ShutdownTests {
    @Test func `a shutdown cancels what runs and what waits, and refuses what comes`() async throws {
        try await Rig.run(workers: 1) { rig in
            let first = try await rig.create("a")
            let second = try await rig.create("b")
            try await rig.startRun(of: first.jobID, "c", .queue)
            await rig.computation.started("a")
            await rig.engine.shutDown()
            #expect(rig.engine.job(first.jobID).value?.runs.map(\.state) == [.cancelled, .cancelled])
            #expect(rig.engine.job(first.jobID).value?.currentRun.cancelReason == .shutdown)
            #expect(rig.engine.job(second.jobID).value?.state == .cancelled)
            #expect(rig.engine.metrics.busyWorkers == 0)
            #expect(!rig.computation.hasStarted("b"))
            #expect(await code { try await rig.create("d") } == .shuttingDown)
            #expect(await code { try await rig.engine.cancel(first.jobID) } == .shuttingDown)
            #expect(await rig.engine.waitUntilTerminal(first.jobID, for: .seconds(5)) != nil)
            await rig.engine.shutDown()
        }
    }

    @Test func `a worker that does not come back holds a shutdown no longer than the bound`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", stubborn: true)
            await rig.computation.started("a")
            let shutdown = Task { await rig.engine.shutDown(within: .seconds(10)) }
            await rig.sink.wait(for: "1-3 cancelRequested shutdown")
            await rig.clock.waitForSleepers()
            #expect(await code { try await rig.create("b") } == .shuttingDown)
            rig.clock.advance(by: .seconds(10))
            await shutdown.value
            #expect(rig.engine.job(job.jobID).value?.state == .cancelled)
            #expect(rig.sink.lines.suffix(2) == ["1-4 cancelled shutdown", "1-5 end"])
            rig.computation.succeed("a", "far too late")
        }
    }

    @Test func `a shutdown ends although nothing can be recorded`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            let context = await rig.computation.started("a")
            rig.store.isFailing = true
            await rig.engine.shutDown()
            #expect(context?.isCancelled == true)
            // Told to nobody, since it is recorded nowhere: the next process finds it running, and lost.
            #expect(rig.engine.job(job.jobID).value?.state == .running)
            #expect(rig.sink.lines == ["1-1 queued", "1-2 started"])
        }
    }

    @Test func `a shutdown that could not be recorded at once still ends its runs as cancelled`() async throws {
        try await Rig.run(workers: 1) { rig in
            let running = try await rig.create("a", stubborn: true)
            let waiting = try await rig.create("b")
            let context = await rig.computation.started("a")
            rig.store.isFailing = true
            let shutdown = Task { await rig.engine.shutDown(within: .seconds(10)) }
            while context?.isCancelled == false { await Task.yield() }
            // Answered behind the commit that failed.
            #expect(await code { try await rig.engine.cancel(.random()) } != nil)
            rig.store.isFailing = false
            rig.computation.fail("a", CancellationError())
            await shutdown.value
            #expect(rig.engine.job(running.jobID).value?.state == .cancelled)
            #expect(rig.engine.job(running.jobID).value?.currentRun.cancelReason == .shutdown)
            #expect(rig.engine.job(waiting.jobID).value?.state == .cancelled)
            #expect(rig.sink.lines(of: waiting.jobID) == ["1-1 queued", "1-2 cancelled shutdown", "1-3 end"])
        }
    }

    /// Nobody says anything until the worker returns; the cancels are tried again all the same.
    @Test func `a shutdown that could not be recorded is tried again`() async throws {
        try await Rig.run { rig in
            try await rig.create("a", stubborn: true)
            let context = await rig.computation.started("a")
            rig.store.isFailing = true
            let shutdown = Task { await rig.engine.shutDown(within: .seconds(10)) }
            while context?.isCancelled == false { await Task.yield() }
            // The bound of the shutdown and the retry.
            await rig.clock.waitForSleepers(2)
            rig.store.isFailing = false
            rig.clock.advance(by: rig.engine.limits.storeRetryInterval)
            await rig.sink.wait(for: "1-3 cancelRequested shutdown")
            rig.computation.succeed("a")
            await shutdown.value
            #expect(rig.sink.lines.suffix(2) == ["1-4 cancelled shutdown", "1-5 end"])
        }
    }

    @Test func `waiters are let go`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", stubborn: true)
            await rig.computation.started("a")
            let wait = Task { await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(50)) }
            await rig.clock.waitForSleepers()
            let shutdown = Task { await rig.engine.shutDown(within: .seconds(10)) }
            await rig.clock.waitForSleepers(2)
            rig.clock.advance(by: .seconds(10))
            #expect(await wait.value?.state == .cancelled)
            await shutdown.value
        }
    }
}
