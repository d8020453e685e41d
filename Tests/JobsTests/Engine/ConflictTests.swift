import Jobs
import Primitives
import Testing

struct ConflictTests {
    @Test func `reject says which run is in the way`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a")
            do throws(JobError) {
                try await rig.startRun(of: first.jobID, "b")
                Issue.record("accepted")
            } catch {
                #expect(error.code == .conflict)
                #expect(error.currentRunID == first.runID)
            }
        }
    }

    @Test func `join answers with the run under way`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a")
            let joined = try await rig.startRun(of: first.jobID, "b", .join)
            #expect(joined.disposition == .joined)
            #expect(joined.runID == first.runID)
            #expect(!joined.started)
            #expect(rig.engine.job(first.jobID).value?.runs.count == 1)
        }
    }

    @Test func `a replaced run's late result is refused and counted, the new run's accepted`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a", stubborn: true)
            await rig.computation.started("a")
            let second = try await rig.startRun(of: first.jobID, "b", .replace)
            #expect(second.replaces == first.runID)
            #expect(second.state == .running)
            rig.computation.succeed("a", "stale")
            await rig.sink.wait(for: "1-5 end")
            #expect(rig.engine.run(first.jobID, first.runID).value?.state == .cancelled)
            #expect(rig.engine.job(first.jobID).value?.state == .running)
            rig.computation.succeed("b", "fresh")
            let snapshot = await rig.engine.waitUntilTerminal(first.jobID, for: .seconds(60))
            #expect(snapshot?.currentRun.result == "fresh")
            #expect(rig.engine.metrics.resultsRefused == [.superseded: 1])
            #expect(
                rig.sink.lines == [
                    "1-1 queued", "1-2 started", "1-3 cancelRequested superseded", "current 2", "2-1 queued",
                    "2-2 started", "1-4 cancelled superseded", "1-5 end", "2-3 succeeded", "2-4 end",
                ])
        }
    }

    @Test func `a replaced run keeps its worker's place until the worker returns`() async throws {
        try await Rig.run(workers: 1) { rig in
            let first = try await rig.create("a", stubborn: true)
            await rig.computation.started("a")
            let second = try await rig.startRun(of: first.jobID, "b", .replace)
            #expect(second.state == .queued)
            #expect(rig.engine.metrics.busyWorkers == 1)
            rig.computation.succeed("a")
            await rig.computation.started("b")
            #expect(rig.engine.metrics.resultsRefused == [.superseded: 1])
        }
    }

    @Test func `queued runs take their turns`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a")
            let second = try await rig.startRun(of: first.jobID, "b", .queue)
            let third = try await rig.startRun(of: first.jobID, "c", .queue)
            #expect(second.disposition == .queued)
            #expect(third.state == .queued)
            await rig.computation.started("a")
            rig.computation.succeed("a", "first")
            await rig.computation.started("b")
            #expect(!rig.computation.hasStarted("c"))
            #expect(rig.engine.run(first.jobID, first.runID).value?.result == "first")
            _ = try await rig.engine.cancel(first.jobID, runID: third.runID)
            rig.computation.succeed("b", "second")
            let snapshot = await rig.engine.waitUntilTerminal(first.jobID, for: .seconds(60))
            #expect(snapshot?.runs.map(\.state) == [.succeeded, .succeeded, .cancelled])
            #expect(!rig.computation.hasStarted("c"))
        }
    }

    @Test func `the queue behind a job's run is bounded`() async throws {
        try await Rig.run {
            $0.maxQueuedRunsPerJob = 1
        } _: { rig in
            let first = try await rig.create("a")
            _ = try await rig.startRun(of: first.jobID, "b", .queue)
            #expect(await code { try await rig.startRun(of: first.jobID, "c", .queue) } == .queueFull)
        }
    }
}
