import Primitives
import TestSupport
import Testing

@testable import Jobs

/// A graceful stop of an engine whose records outlive it.
struct DurableShutdownTests {
    private let store = RecordingStore(isDurable: true)
    private let clock = ManualClock()
    private let ids = (0..<2).map { _ in UniqueID.random() }

    @Test func `queued runs stay queued, and nothing is said of them`() async throws {
        try await Rig.run(workers: 1, store: store, clock: clock) { rig in
            try await rig.create("a", id: ids[0])
            await rig.computation.started("a")
            try await rig.create("b", id: ids[1])
            try await rig.startRun(of: ids[0], "c", .queue)
            await rig.engine.shutDown()
            #expect(rig.engine.job(ids[0]).value?.runs.map(\.state) == [.cancelled, .queued])
            #expect(
                rig.sink.lines(of: ids[0]) == [
                    "1-1 queued", "1-2 started", "2-1 queued", "1-3 cancelRequested shutdown",
                    "1-4 cancelled shutdown", "1-5 end",
                ])
            #expect(rig.sink.lines(of: ids[1]) == ["1-1 queued"])
            #expect(!rig.computation.hasStarted("b"))
        }
        try await Rig.run(workers: 2, store: store.reopened(), clock: clock) { rig in
            #expect(await rig.engine.recover() == JobRecovery(queued: 2))
            #expect(ids.map { rig.engine.job($0).value?.state } == [.running, .running])
        }
    }

    @Test func `a run of a kind that starts anew is queued again`() async throws {
        try await Rig.run(store: store, clock: clock) { rig in
            try await rig.create("a", kind: "restarting", id: ids[0])
            await rig.restarting.started("a")
            await rig.engine.shutDown()
            #expect(rig.sink.lines == ["1-1 queued", "1-2 started", "1-3 queued"])
        }
        try await Rig.run(store: store.reopened(), clock: clock) { rig in
            #expect(await rig.engine.recover() == JobRecovery(queued: 1))
            #expect(rig.sink.lines == ["1-4 started"])
        }
    }

    @Test func `a result that it still brings is taken, a failure means to try again`() async throws {
        try await Rig.run(store: store, clock: clock) { rig in
            for (name, id) in zip(["a", "b"], ids) {
                try await rig.create(name, kind: "restarting", id: id, stubborn: true)
                await rig.restarting.started(name)
            }
            let shutdown = Task { await rig.engine.shutDown() }
            await rig.clock.waitForSleepers()
            rig.restarting.succeed("a", 1)
            rig.restarting.fail("b", RunFailure(code: "x", message: "y"))
            await shutdown.value
            #expect(rig.engine.job(ids[0]).value?.currentRun.result == 1)
            #expect(rig.engine.job(ids[1]).value?.state == .queued)
            #expect(rig.engine.metrics.resultsRefused == [.interrupted: 1])
        }
    }

    @Test func `one whose worker does not come back is queued again too`() async throws {
        try await Rig.run(store: store, clock: clock) { rig in
            try await rig.create("a", kind: "restarting", id: ids[0], stubborn: true)
            await rig.restarting.started("a")
            let shutdown = Task { await rig.engine.shutDown(within: .seconds(10)) }
            await rig.clock.waitForSleepers()
            rig.clock.advance(by: .seconds(10))
            await shutdown.value
            #expect(rig.engine.job(ids[0]).value?.state == .queued)
        }
    }

    @Test func `a cancel comes first, before the stop and while it is under way`() async throws {
        try await Rig.run(store: store, clock: clock) { rig in
            for (name, id) in zip(["a", "b"], ids) {
                try await rig.create(name, kind: "restarting", id: id, stubborn: true)
                await rig.restarting.started(name)
            }
            _ = try await rig.engine.cancel(ids[0])
            let shutdown = Task { await rig.engine.shutDown() }
            await rig.clock.waitForSleepers()
            _ = try await rig.engine.cancel(ids[1])
            for name in ["a", "b"] { rig.restarting.fail(name, CancellationError()) }
            await shutdown.value
            #expect(ids.map { rig.engine.job($0).value?.state } == [.cancelled, .cancelled])
            #expect(ids.map { rig.engine.job($0).value?.currentRun.cancelReason } == [.user, .user])
        }
    }

    @Test func `with a volatile store there is nothing to start anew from`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", kind: "restarting")
            await rig.restarting.started("a")
            await rig.engine.shutDown()
            #expect(rig.engine.job(job.jobID).value?.state == .cancelled)
        }
    }
}
