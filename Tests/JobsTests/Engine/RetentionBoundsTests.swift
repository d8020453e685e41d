import Primitives
import TestSupport
import Testing

@testable import Jobs

/// Bounds of age and of bytes.
struct RetentionBoundsTests {
    private let ids = (0..<3).map { _ in UniqueID.random() }

    @Test func `a job is kept for so long after its last run was over`() async throws {
        try await Rig.run {
            $0.keepFinishedFor = .seconds(90)
        } _: { rig in
            try await rig.complete("a", id: ids[0])
            rig.clock.advance(by: .seconds(60))
            try await rig.complete("b", id: ids[1])
            try await rig.create("c", id: ids[2])
            rig.clock.advance(by: .seconds(30))
            await rig.dropExpired()
            #expect(rig.engine.job(ids[0]).value != nil)
            rig.clock.advance(by: .milliseconds(1))
            await rig.dropExpired()
            #expect(rig.engine.job(ids[0]).isGone)
            #expect(ids[1...].map { rig.engine.job($0).value?.state } == [.succeeded, .running])
        }
    }

    @Test func `jobs are looked at again and again`() async throws {
        try await Rig.run {
            $0.keepFinishedFor = .seconds(90)
        } _: { rig in
            for id in ids[..<2] {
                try await rig.complete("a", id: id)
                // The timer may not have been set yet.
                while !rig.engine.job(id).isGone {
                    rig.clock.advance(by: rig.engine.limits.retentionInterval)
                    await Task.yield()
                }
            }
        }
    }

    @Test func `what became too old while no server ran goes at the start`() async throws {
        let (store, clock) = (RecordingStore(isDurable: true), ManualClock())
        try await Rig.run(store: store, clock: clock) {
            // Not in this life.
            $0.retentionInterval = .seconds(1_000_000_000)
        } _: { rig in
            try await rig.complete("a", id: ids[0])
            clock.advance(by: rig.engine.limits.keepFinishedFor + .milliseconds(1))
            try await rig.complete("b", id: ids[1])
        }
        try await Rig.run(store: store.reopened(), clock: clock) { rig in
            await rig.engine.recover()
            await rig.sink.wait(for: "jobEvicted 1")
            #expect(rig.engine.jobs().jobs.map(\.id) == [ids[1]])
        }
    }

    @Test func `narrower bounds are met at the start, in steps`() async throws {
        let store = RecordingStore(isDurable: true)
        try await Rig.run(store: store) { rig in
            for number in 0..<150 { try await rig.complete("\(number)") }
        }
        let next = store.reopened()
        try await Rig.run(store: next) {
            $0.maxJobs = 10
        } _: { rig in
            await rig.engine.recover()
            while rig.engine.jobs(limit: 200).jobs.count > 10 { await Task.yield() }
            #expect(next.commits.map(\.count) == [JobBook.dropsPerStep, JobBook.dropsPerStep, 12])
        }
    }

    /// Each job takes its input twice, as its own and its run's: `{"name":"..."}`.
    private func bytes(_ name: String) -> Int { 2 * (name.utf8.count + 11) }

    @Test func `the oldest settled jobs make room in bytes`() async throws {
        let name = String(repeating: "x", count: 1_000)
        try await Rig.run {
            $0.maxBytes = 3 * bytes(name) + 100
        } _: { rig in
            for id in ids { try await rig.complete(name, id: id) }
            // Their results: "done".
            #expect(rig.engine.metrics.keptBytes == 3 * (bytes(name) + 6))
            try await rig.create(name)
            #expect(rig.engine.job(ids[0]).isGone)
            #expect(rig.engine.jobs().jobs.count == 3)
        }
    }

    @Test func `a start that does not fit is refused, and drops nothing`() async throws {
        let name = String(repeating: "x", count: 1_000)
        try await Rig.run {
            $0.maxBytes = bytes(name) + 100
        } _: { rig in
            try await rig.complete("small", id: ids[0])
            try await rig.create(name, id: ids[1])
            do throws(JobError) {
                try await rig.create(name + name)
                Issue.record("accepted")
            } catch {
                #expect(error.code == .tooManyJobs)
                #expect(error.retryAfter == nil)
            }
            #expect(await code { try await rig.create(name) } == .tooManyJobs)
            #expect(await code { try await rig.startRun(of: ids[1], name + name, .queue) } == .tooManyJobs)
            #expect(rig.engine.job(ids[0]).value != nil)
            #expect(rig.engine.metrics.queuedRuns == 0)
        }
    }

    @Test func `a result is taken whatever its size, and others go for it`() async throws {
        let result = JSONValue.string(String(repeating: "x", count: 5_000))
        try await Rig.run {
            $0.maxBytes = 1_000
        } _: { rig in
            try await rig.complete("a", id: ids[0])
            try await rig.create("b", id: ids[1])
            rig.computation.succeed("b", result)
            let snapshot = await rig.engine.waitUntilTerminal(ids[1], for: .seconds(60))
            #expect(snapshot?.currentRun.result == result)
            #expect(rig.engine.job(ids[0]).isGone)
            try await rig.create("c")
            #expect(rig.engine.job(ids[1]).isGone)
        }
    }

    @Test func `a refused start has dropped nothing to make room`() async throws {
        try await Rig.run(workers: 1) {
            $0.maxJobs = 2
            $0.maxQueuedRuns = 0
        } _: { rig in
            try await rig.complete("a", id: ids[0])
            try await rig.create("b", id: ids[1])
            #expect(await code { try await rig.create("c") } == .queueFull)
            #expect(rig.engine.job(ids[0]).value != nil)
        }
    }
}
