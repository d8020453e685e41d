import Jobs
import Primitives
import Testing

struct RetentionTests {
    @Test func `the oldest finished job makes room and is gone, not unknown`() async throws {
        try await Rig.run {
            $0.maxJobs = 2
        } _: { rig in
            let first = try await rig.complete("a")
            let second = try await rig.create("b")
            let third = try await rig.create("c")
            #expect(rig.engine.job(first.jobID).isGone)
            #expect(rig.engine.run(first.jobID, first.runID).isGone)
            #expect(rig.sink.lines.contains("jobEvicted 1"))
            #expect(rig.engine.jobs().jobs.map(\.id) == [third.jobID, second.jobID])
            #expect(rig.store.commits.joined().contains(.jobEvicted(first.jobID, runIDs: [first.runID])))
            #expect(await code { try await rig.engine.cancel(first.jobID) } == .gone)
            #expect(await code { try await rig.startRun(of: first.jobID, "d") } == .gone)
            #expect(await code { try await rig.create("d", id: first.jobID) } == .gone)
        }
    }

    @Test func `with every job under way a new one is refused`() async throws {
        try await Rig.run {
            $0.maxJobs = 1
        } _: { rig in
            try await rig.create("a")
            #expect(await code { try await rig.create("b") } == .tooManyJobs)
        }
    }

    @Test func `a job is kept while an old worker of it is busy`() async throws {
        try await Rig.run {
            $0.maxJobs = 1
        } _: { rig in
            let job = try await rig.create("a", stubborn: true)
            await rig.computation.started("a")
            try await rig.startRun(of: job.jobID, "b", .replace)
            rig.computation.succeed("b")
            _ = await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))
            #expect(await code { try await rig.create("c") } == .tooManyJobs)
            rig.computation.succeed("a")
            _ = await rig.engine.waitUntilTerminal(job.jobID, runID: job.runID, for: .seconds(60))
            #expect(await code { try await rig.create("c") } == nil)
        }
    }

    @Test func `old runs of a job are gone`() async throws {
        try await Rig.run {
            $0.maxRunsPerJob = 1
        } _: { rig in
            let first = try await rig.complete("a")
            let second = try await rig.startRun(of: first.jobID, "b")
            #expect(rig.engine.run(first.jobID, first.runID).isGone)
            #expect(rig.engine.job(first.jobID).value?.runs.map(\.id) == [second.runID])
            #expect(rig.sink.lines.contains("runEvicted"))
            #expect(await code { try await rig.engine.cancel(first.jobID, runID: first.runID) } == .gone)
        }
    }

    @Test func `an eviction that can't be recorded has not happened`() async throws {
        try await Rig.run {
            $0.maxJobs = 1
        } _: { rig in
            let first = try await rig.complete("a")
            rig.store.isFailing = true
            #expect(await code { try await rig.create("b") } == .storeUnavailable)
            rig.store.isFailing = false
            #expect(rig.engine.jobs().jobs.map(\.id) == [first.jobID])
            let second = try await rig.create("b")
            #expect(rig.engine.jobs().jobs.map(\.id) == [second.jobID])
        }
    }

    @Test func `what is remembered of dropped jobs is bounded`() async throws {
        try await Rig.run {
            $0.maxJobs = 1
            $0.maxTombstones = 2
        } _: { rig in
            let first = try await rig.complete("a")
            let second = try await rig.complete("b")
            try await rig.create("c")
            #expect(!rig.engine.job(first.jobID).isGone)
            #expect(rig.engine.job(second.jobID).isGone)
        }
    }

    @Test func `jobs are listed newest first, in pages, by state and kind`() async throws {
        try await Rig.run(workers: 1) { rig in
            var ids: [UniqueID] = []
            for number in 0..<7 { ids.append(try await rig.create("\(number)").jobID) }
            ids.reverse()
            var pages: [[UniqueID]] = []
            var cursor: JobCursor?
            repeat {
                let page = rig.engine.jobs(after: cursor, limit: 3)
                pages.append(page.jobs.map(\.id))
                cursor = page.next
            } while cursor != nil
            #expect(pages == [Array(ids[0..<3]), Array(ids[3..<6]), Array(ids[6...])])
            #expect(rig.engine.jobs(limit: 7).next == nil)
            #expect(rig.engine.jobs(JobFilter(states: [.running])).jobs.map(\.id) == [ids[6]])
            #expect(rig.engine.jobs(JobFilter(kind: "other")).jobs.isEmpty)
            let filtered = rig.engine.jobs(JobFilter(states: [.queued], kind: "gated"), limit: 6)
            #expect(filtered.jobs.count == 6)
            #expect(filtered.next == nil)
            #expect(rig.engine.metrics.jobsByState.filter { $0.value > 0 } == [.running: 1, .queued: 6])
        }
    }

    @Test func `a long list is read in pieces without a gap`() async throws {
        try await Rig.run(workers: 1) {
            $0.maxQueuedRuns = 2_000
        } _: { rig in
            for number in 0..<1_200 { try await rig.create("\(number)") }
            let all = rig.engine.jobs(limit: 2_000)
            #expect(all.jobs.count == 1_200)
            #expect(all.next == nil)
            #expect(zip(all.jobs, all.jobs.dropFirst()).allSatisfy { $0.0.createdAt >= $0.1.createdAt })
            #expect(Set(all.jobs.map(\.id)).count == 1_200)
        }
    }
}

extension Lookup {
    var isGone: Bool { if case .gone = self { true } else { false } }
}
