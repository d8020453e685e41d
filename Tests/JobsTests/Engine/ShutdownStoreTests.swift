import Jobs
import Primitives
import TestSupport
import Testing

struct ShutdownStoreTests {
    @Test func `a result kept back by the store is recorded before the shutdown's cancel`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            await rig.computation.started("a")
            rig.store.isFailing = true
            rig.computation.succeed("a", 1)
            await rig.clock.waitForSleepers()
            rig.store.isFailing = false
            await rig.engine.shutDown()
            #expect(rig.engine.job(job.jobID).value?.currentRun.result == 1)
        }
    }
}
