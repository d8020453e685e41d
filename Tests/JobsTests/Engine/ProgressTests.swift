import Primitives
import TestSupport
import Testing

@testable import Jobs

struct ProgressTests {
    @Test func `watchers see progress at a bounded rate, and the last one before the result`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            let context = await rig.computation.started("a")
            context?.report(RunProgress(current: 1, total: 2_000))
            await rig.sink.wait(for: "1-3 progress 1")
            for current in 2...1_000 { context?.report(RunProgress(current: current, total: 2_000)) }
            rig.clock.advance(by: rig.engine.limits.progressInterval)
            context?.report(RunProgress(current: 1_500, total: 2_000))
            await rig.sink.wait(for: "1-4 progress 1500")
            context?.report(RunProgress(current: 2_000, total: 2_000))
            rig.computation.succeed("a")
            _ = await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))
            #expect(
                rig.sink.lines == [
                    "1-1 queued", "1-2 started", "1-3 progress 1", "1-4 progress 1500", "1-5 progress 2000",
                    "1-6 succeeded", "1-7 end",
                ])
            #expect(rig.engine.job(job.jobID).value?.currentRun.progress?.total == 2_000)
        }
    }

    @Test func `a cancelled run's progress is not seen any more`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", stubborn: true)
            let context = await rig.computation.started("a")
            _ = try await rig.engine.cancel(job.jobID)
            context?.report(RunProgress(current: 1))
            rig.computation.succeed("a")
            let snapshot = await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))
            #expect(snapshot?.currentRun.progress == nil)
            #expect(!rig.sink.lines.contains { $0.contains("progress") })
        }
    }

    @Test func `an engine that is behind sees the newest report, not all of them`() async throws {
        try await Rig.run {
            $0.progressInterval = .zero
        } _: { rig in
            let (entered, leave) = (BlockingQueue<Void>(), BlockingQueue<Void>())
            let job = try await rig.create("a")
            let context = await rig.computation.started("a")
            rig.store.beforeCommit {
                _ = entered.put(())
                _ = leave.take()
            }
            let busy = Task { try await rig.create("b") }
            // The engine's thread is inside a commit now.
            await offPool { _ = entered.take() }
            for current in 1...1_000 { context?.report(RunProgress(current: current)) }
            leave.close()
            _ = try await busy.value
            rig.computation.succeed("a")
            _ = await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))
            #expect(
                rig.sink.lines(of: job.jobID) == [
                    "1-1 queued", "1-2 started", "1-3 progress 1000", "1-4 succeeded", "1-5 end",
                ])
        }
    }
}
