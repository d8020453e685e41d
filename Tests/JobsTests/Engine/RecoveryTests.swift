import Primitives
import TestSupport
import Testing

@testable import Jobs

/// A process dies, and another begins with what the store has.
struct RecoveryTests {
    private let clock = ManualClock()
    private let ids = (0..<3).map { _ in UniqueID.random() }

    /// A process that records what `body` does and dies behind it.
    /// - Returns: its store, for the next one.
    private func live(
        store: RecordingStore = RecordingStore(isDurable: true), workers: Int = 1,
        _ body: (Rig) async throws -> Void
    ) async throws -> RecordingStore {
        try await Rig.run(workers: workers, store: store, clock: clock) { rig in
            try await body(rig)
            store.die()
        }
        return store.reopened()
    }

    @Test func `what ran is lost, what waited goes on in the order in which it was queued`() async throws {
        let store = try await live { rig in
            try await rig.create("a", id: ids[0])
            try await rig.create("b", id: ids[1])
            clock.advance(by: .seconds(1))
            try await rig.create("c", id: ids[2])
        }
        try await Rig.run(workers: 1, store: store, clock: clock) { rig in
            #expect(rig.engine.job(ids[0]).value?.state == .running)
            #expect(rig.engine.metrics.queuedRuns == 2)
            #expect(await rig.engine.recover() == JobRecovery(lost: 1, queued: 2))
            #expect(rig.sink.lines == ["1-3 lost", "1-4 end", "1-2 started"])
            let problem = rig.engine.job(ids[0]).value?.currentRun.problem
            #expect(problem?.code == "lost")
            #expect(problem?.message.contains("\(clock.timeSource.wall())") == true)
            #expect(ids[1...].map { rig.engine.job($0).value?.state } == [.running, .queued])
            rig.computation.succeed("b", 2)
            rig.computation.succeed("c", 3)
            #expect(await rig.engine.waitUntilTerminal(ids[2], for: .seconds(60))?.currentRun.result == 3)
            #expect(rig.engine.job(ids[1]).value?.currentRun.result == 2)
        }
    }

    @Test func `runs go on in the order in which they were queued, not in that of their jobs`() async throws {
        let store = try await live { rig in
            let first = try await rig.complete("a", id: ids[0])
            try await rig.create("busy")
            try await rig.create("b", id: ids[1])
            clock.advance(by: .seconds(1))
            try await rig.startRun(of: first.jobID, "c")
        }
        try await Rig.run(workers: 1, store: store, clock: clock) { rig in
            await rig.engine.recover()
            #expect(ids[..<2].map { rig.engine.job($0).value?.state } == [.queued, .running])
        }
    }

    @Test func `a run of a kind that starts anew waits again, and starts from the beginning`() async throws {
        let store = try await live { rig in
            try await rig.create("a", kind: "restarting", id: ids[0])
            let context = await rig.restarting.started("a")
            context?.report(RunProgress(current: 7))
            await rig.sink.wait(for: "1-3 progress 7")
        }
        try await Rig.run(workers: 1, store: store, clock: clock) { rig in
            #expect(await rig.engine.recover() == JobRecovery(requeued: 1))
            #expect(rig.sink.lines == ["1-4 queued", "1-5 started"])
            #expect(rig.engine.job(ids[0]).value?.currentRun.progress == nil)
            let context = await rig.restarting.started("a")
            context?.report(RunProgress(current: 1))
            await rig.sink.wait(for: "1-6 progress 1")
            rig.restarting.succeed("a", 1)
            #expect(await rig.engine.waitUntilTerminal(ids[0], for: .seconds(60))?.currentRun.result == 1)
        }
    }

    @Test func `a cancel that was recorded wins over the crash`() async throws {
        let store = try await live(workers: 2) { rig in
            for (name, id) in zip(["a", "b"], ids) {
                try await rig.create(name, kind: "restarting", id: id, stubborn: true, timeout: .seconds(5))
                await rig.restarting.started(name)
            }
            await clock.waitForSleepers(2)
            _ = try await rig.engine.cancel(ids[0])
            clock.advance(by: .seconds(5))
            await rig.sink.wait(for: "1-3 cancelRequested timeout")
        }
        try await Rig.run(store: store, clock: clock) { rig in
            #expect(await rig.engine.recover() == JobRecovery(stopped: 2))
            #expect(rig.sink.lines == ["1-4 cancelled user", "1-5 end", "1-4 timedOut", "1-5 end"])
        }
    }

    @Test func `a run whose kind is no longer offered fails and says so`() async throws {
        let store = try await live { rig in
            try await rig.create("busy", kind: "restarting")
            try await rig.create("a", id: ids[0])
            try await rig.startRun(of: ids[0], "b", .queue)
        }
        try await Rig.run(store: store, clock: clock, offersGated: false) { rig in
            #expect(await rig.engine.recover() == JobRecovery(requeued: 1, failed: 2))
            #expect(
                rig.sink.lines(of: ids[0]) == [
                    "1-2 failed unknownKind", "1-3 end", "2-2 failed unknownKind", "2-3 end",
                ])
            #expect(rig.engine.metrics.queuedRuns == 0)
        }
    }
}
