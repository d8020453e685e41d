import Jobs
import Primitives
import TestSupport
import Testing

struct CancelTests {
    @Test func `a running run is asked to stop and then cancelled`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", stubborn: true)
            let context = await rig.computation.started("a")
            let receipt = try await rig.engine.cancel(job.jobID, reason: CancelReason(.user, note: "bored"))
            #expect(receipt.disposition == .requested)
            #expect(receipt.state == .cancelling)
            await rig.sink.wait(for: "1-3 cancelRequested user")
            #expect(try await rig.engine.cancel(job.jobID) == receipt)
            #expect(context?.isCancelled == true)
            rig.computation.succeed("a")
            let snapshot = await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))
            #expect(snapshot?.state == .cancelled)
            #expect(snapshot?.currentRun.result == nil)
            #expect(snapshot?.currentRun.cancelReason?.note == "bored")
            #expect(rig.engine.metrics.resultsRefused == [.cancelled: 1])
            let late = try await rig.engine.cancel(job.jobID)
            #expect(late.disposition == .unchanged)
            #expect(!late.applied)
        }
    }

    @Test func `force ends the run at once but not its worker's place`() async throws {
        try await Rig.run(workers: 1) { rig in
            let job = try await rig.create("a", stubborn: true)
            await rig.computation.started("a")
            let receipt = try await rig.engine.cancel(job.jobID, force: true)
            #expect(receipt.disposition == .ended)
            #expect(receipt.state == .cancelled)
            let next = try await rig.startRun(of: job.jobID, "b")
            #expect(next.state == .queued)
            rig.computation.succeed("a", "stale")
            await rig.computation.started("b")
            #expect(rig.engine.metrics.resultsRefused == [.cancelled: 1])
            #expect(rig.engine.run(job.jobID, job.runID).value?.result == nil)
        }
    }

    @Test func `a stale run ID cancels nothing`() async throws {
        try await Rig.run { rig in
            let first = try await rig.complete("a")
            let second = try await rig.startRun(of: first.jobID, "b")
            do throws(JobError) {
                _ = try await rig.engine.cancel(first.jobID, runID: first.runID)
                Issue.record("accepted")
            } catch {
                #expect(error.code == .notCurrent)
                #expect(error.currentRunID == second.runID)
            }
            #expect(rig.engine.job(first.jobID).value?.state == .running)
            #expect(await code { try await rig.engine.cancel(first.jobID, runID: .random()) } == .unknownRun)
            #expect(await code { try await rig.engine.cancel(.random()) } == .unknownJob)
        }
    }

    @Test func `a run that outlives its time limit is stopped and timed out`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", timeout: .seconds(10))
            await rig.computation.started("a")
            await rig.clock.waitForSleepers()
            rig.clock.advance(by: .seconds(10))
            let snapshot = await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))
            #expect(snapshot?.state == .timedOut)
            #expect(
                rig.sink.lines == [
                    "1-1 queued", "1-2 started", "1-3 cancelRequested timeout", "1-4 timedOut", "1-5 end",
                ])
        }
    }

    @Test func `the time limit counts from the start, not in the queue`() async throws {
        try await Rig.run(workers: 1) { rig in
            try await rig.create("a")
            let job = try await rig.create("b", timeout: .seconds(10))
            rig.clock.advance(by: .seconds(60))
            #expect(rig.engine.job(job.jobID).value?.state == .queued)
            rig.computation.succeed("a")
            await rig.computation.started("b")
            await rig.clock.waitForSleepers()
            rig.clock.advance(by: .seconds(9))
            #expect(rig.engine.job(job.jobID).value?.state == .running)
            rig.clock.advance(by: .seconds(1))
            #expect(
                await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))?.state == .timedOut)
        }
    }

    @Test func `a later run inherits the job's time limit`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", timeout: .seconds(10))
            _ = try await rig.engine.cancel(job.jobID, force: true)
            let again = try await rig.startRun(of: job.jobID, "b")
            #expect(rig.engine.run(job.jobID, again.runID).value?.timeout == .seconds(10))
        }
    }
}
