import Jobs
import Primitives
import Testing

struct StartTests {
    @Test func `a job runs to its result`() async throws {
        try await Rig.run { rig in
            let receipt = try await rig.create("a")
            #expect(receipt.disposition == .created)
            #expect(receipt.started)
            #expect(receipt.ordinal == 1)
            await rig.computation.started("a")
            rig.computation.succeed("a", 42)
            let snapshot = await rig.engine.waitUntilTerminal(receipt.jobID, for: .seconds(60))
            #expect(snapshot?.state == .succeeded)
            #expect(snapshot?.currentRun.result == 42)
            #expect(rig.sink.lines == ["1-1 queued", "1-2 started", "1-3 succeeded", "1-4 end"])
            #expect(rig.engine.run(receipt.jobID, receipt.runID).value?.state == .succeeded)
        }
    }

    @Test func `a computation's errors become failures`() async throws {
        try await Rig.run { rig in
            let receipt = try await rig.create("a")
            rig.computation.fail("a", RunFailure(code: "no-luck", message: "none at all"))
            let snapshot = await rig.engine.waitUntilTerminal(receipt.jobID, for: .seconds(60))
            #expect(snapshot?.state == .failed)
            #expect(snapshot?.currentRun.problem == RunProblem(code: "no-luck", message: "none at all"))
        }
    }

    @Test func `bad requests name what is wrong and leave nothing behind`() async throws {
        try await Rig.run { rig in
            let engine = rig.engine
            let unknown = StartRequest(.newJob(kind: "nonsense", input: [:]))
            #expect(await code { try await engine.start(unknown) } == .unknownKind)
            do throws(JobError) {
                _ = try await engine.start(StartRequest(.newJob(kind: "gated", input: ["name": 1])))
                Issue.record("accepted")
            } catch {
                #expect(error.code == .invalidInput)
                #expect(error.field == "name")
            }
            for timeout in [Duration.zero, .seconds(-1), .seconds(8 * 86_400)] {
                #expect(
                    await code { try await rig.create("a", timeout: timeout) }
                        == .invalidTimeout)
            }
            for key in ["", String(repeating: "k", count: 257)] {
                #expect(
                    await code {
                        try await rig.create("a", key: IdempotencyKey(key, fingerprint: ""))
                    } == .invalidIdempotencyKey)
            }
            #expect(
                await code { try await rig.startRun(of: .random(), "a") }
                    == .unknownJob)
            #expect(engine.jobs().jobs.isEmpty)
            #expect(rig.store.commits.isEmpty)
        }
    }

    @Test func `a client's own ID makes a start safe to repeat`() async throws {
        try await Rig.run { rig in
            let id = UniqueID.random()
            let first = try await rig.create("a", id: id, timeout: .seconds(5))
            #expect(first.jobID == id)
            let again = try await rig.create("a", id: id, timeout: .seconds(5))
            #expect(again.disposition == .unchanged)
            #expect(again.runID == first.runID)
            #expect(!again.started)
            #expect(
                await code { try await rig.create("b", id: id) } == .differentJob)
            #expect(
                await code { try await rig.create("a", id: id) } == .differentJob)
            rig.computation.succeed("a")
            _ = await rig.engine.waitUntilTerminal(id, for: .seconds(60))
            #expect(try await rig.create("a", id: id, timeout: .seconds(5)).state == .succeeded)
            #expect(rig.engine.job(id).value?.runs.count == 1)
        }
    }

    @Test func `a run without an input gets the job's`() async throws {
        try await Rig.run { rig in
            let receipt = try await rig.complete("a")
            let again = try await rig.engine.start(StartRequest(.existingJob(receipt.jobID)))
            #expect(again.disposition == .started)
            #expect(rig.engine.run(receipt.jobID, again.runID).value?.input == Rig.input("a"))
        }
    }

    @Test func `jobs wait for a worker in the order of their starts`() async throws {
        try await Rig.run(workers: 1) { rig in
            let first = try await rig.create("a")
            let second = try await rig.create("b")
            let third = try await rig.create("c")
            #expect([first.state, second.state, third.state] == [.running, .queued, .queued])
            #expect(rig.engine.metrics.queuedRuns == 2)
            await rig.computation.started("a")
            rig.computation.succeed("a")
            await rig.computation.started("b")
            #expect(!rig.computation.hasStarted("c"))
            _ = try await rig.engine.cancel(third.jobID)
            rig.computation.succeed("b")
            _ = await rig.engine.waitUntilTerminal(second.jobID, for: .seconds(60))
            #expect(!rig.computation.hasStarted("c"))
            #expect(rig.engine.metrics.runsEnded == [.succeeded: 2, .cancelled: 1])
        }
    }

    @Test func `a full queue refuses a start, with a hint`() async throws {
        try await Rig.run(workers: 1) {
            $0.maxQueuedRuns = 1
        } _: { rig in
            let first = try await rig.create("a")
            let second = try await rig.create("b")
            do throws(JobError) {
                _ = try await rig.create("c")
                Issue.record("accepted")
            } catch {
                #expect(error.code == .queueFull)
                #expect(error.retryAfter == rig.engine.limits.queueFullRetryHint)
            }
            #expect(
                await code { try await rig.startRun(of: first.jobID, "d", .queue) }
                    == .queueFull)
            // One for one: the queue does not grow.
            #expect(try await rig.startRun(of: second.jobID, "e", .replace).disposition == .started)
            #expect(rig.engine.metrics.queuedRuns == 1)
        }
    }

    @Test func `no queue is needed while a worker is free`() async throws {
        try await Rig.run(workers: 1) {
            $0.maxQueuedRuns = 0
        } _: { rig in
            let receipt = try await rig.create("a")
            #expect(receipt.state == .running)
            #expect(await code { try await rig.create("b") } == .queueFull)
        }
    }
}
