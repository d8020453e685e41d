import Jobs
import Primitives
import TestSupport
import Testing

/// What is not a run, and is there again after a restart all the same.
struct RecordedStateTests {
    private let clock = ManualClock()

    /// Two processes, one behind the other, on what the first one recorded.
    private func restart(
        _ limits: JobLimits = JobLimits(), _ first: (Rig) async throws -> Void,
        _ second: (Rig) async throws -> Void
    ) async throws {
        let store = RecordingStore(isDurable: true)
        try await Rig.run(workers: 1, store: store, clock: clock, { $0 = limits }) { rig in
            try await first(rig)
            store.die()
        }
        try await Rig.run(workers: 1, store: store.reopened(), clock: clock, { $0 = limits }) { rig in
            await rig.engine.recover()
            try await second(rig)
        }
    }

    @Test func `a key stands for its first answer for the rest of its life`() async throws {
        let key = IdempotencyKey("k", fingerprint: "f")
        let first = UniqueID.random()
        let lifetime = JobLimits().idempotencyKeyLifetime
        try await restart { rig in
            try await rig.create("a", id: first, key: key)
            clock.advance(by: lifetime / 2)
        } _: { rig in
            #expect(rig.engine.metrics.idempotencyKeys == 1)
            rig.clock.advance(by: lifetime / 2 - .milliseconds(1))
            let again = try await rig.create("a", key: key)
            #expect(again.isReplay && again.jobID == first)
            rig.clock.advance(by: .milliseconds(1))
            let new = try await rig.create("a", key: key)
            #expect(!new.isReplay && new.jobID != first)
        }
    }

    @Test func `a key that expired while no server ran is forgotten`() async throws {
        let key = IdempotencyKey("k", fingerprint: "f")
        try await restart { rig in
            try await rig.create("a", key: key)
            clock.advance(by: rig.engine.limits.idempotencyKeyLifetime)
        } _: { rig in
            #expect(rig.engine.metrics.idempotencyKeys == 0)
            let new = try await rig.create("a", key: key)
            #expect(!new.isReplay)
        }
    }

    @Test func `what was dropped is still gone`() async throws {
        let (first, second) = (UniqueID.random(), UniqueID.random())
        var limits = JobLimits()
        limits.maxJobs = 1
        try await restart(limits) { rig in
            try await rig.complete("a", id: first)
            try await rig.complete("b", id: second)
        } _: { rig in
            #expect(rig.engine.job(first).isGone)
            #expect(await code { try await rig.create("c", id: first) } == .gone)
            #expect(rig.engine.job(second).value?.state == .succeeded)
        }
    }

    @Test func `serials, versions and places in the list go on`() async throws {
        let ids = (0..<3).map { _ in UniqueID.random() }
        let (version, cursor) = (Locked(0), Locked<JobCursor?>(nil))
        var limits = JobLimits()
        limits.maxJobs = 3
        try await restart(limits) { rig in
            for (name, id) in zip(["a", "b", "c"], ids) { try await rig.complete(name, id: id) }
            version.withLock { $0 = rig.engine.job(ids[0]).value?.version ?? 0 }
            cursor.withLock { $0 = rig.engine.jobs(limit: 1).next }
        } _: { rig in
            #expect(rig.engine.jobs(after: cursor.withLock { $0 }, limit: 1).jobs.map(\.id) == [ids[1]])
            #expect(rig.engine.job(ids[0]).value?.version == version.withLock { $0 })
            try await rig.startRun(of: ids[0], "d")
            #expect(rig.engine.job(ids[0]).value?.version == version.withLock { $0 + 2 })
            let new = try await rig.create("e")
            #expect(rig.engine.jobs().jobs.map(\.id) == [new.jobID, ids[2], ids[0]])
            #expect(rig.engine.job(new.jobID).value?.serial == 4)
        }
    }

    @Test func `the serial of a job that is no longer kept is not given again`() async throws {
        var limits = JobLimits()
        limits.keepFinishedFor = .seconds(1)
        try await restart(limits) { rig in
            let first = try await rig.complete("a")
            rig.clock.advance(by: .seconds(2))
            await rig.dropExpired()
            #expect(rig.engine.job(first.jobID).isGone)
        } _: { rig in
            let new = try await rig.create("b")
            #expect(rig.engine.job(new.jobID).value?.serial == 2)
        }
    }
}
