import Primitives
import TestSupport
import Testing

@testable import Jobs

struct StoreFailureTests {
    @Test func `a start that can't be recorded has not happened`() async throws {
        try await Rig.run { rig in
            rig.store.isFailing = true
            do throws(JobError) {
                try await rig.create("a")
                Issue.record("accepted")
            } catch {
                #expect(error.code == .storeUnavailable)
                #expect(error.underlying == JobStoreError("the disk is full"))
            }
            #expect(rig.engine.jobs().jobs.isEmpty)
            #expect(rig.sink.lines.isEmpty)
            #expect(!rig.computation.hasStarted("a"))
            #expect(rig.engine.metrics.jobsByState.values.allSatisfy { $0 == 0 })
            #expect(rig.engine.metrics.busyWorkers == 0)
            rig.store.isFailing = false
            let receipt = try await rig.create("a")
            #expect(receipt.state == .running)
            #expect(rig.sink.lines.first == "1-1 queued")
        }
    }

    @Test func `who is refused learns why, and whether room would help`() async throws {
        try await Rig.run { rig in
            rig.store.isFailing = true
            for isFull in [false, true] {
                rig.store.isFull = isFull
                do throws(JobError) {
                    try await rig.create("a")
                    Issue.record("accepted")
                } catch {
                    #expect(error.underlying?.isFull == isFull)
                    #expect(error.message.contains("the disk is full"))
                    #expect(error.message.contains("Make room") == isFull)
                }
            }
        }
    }

    @Test func `a cancel that can't be recorded has not happened`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            let context = await rig.computation.started("a")
            rig.store.isFailing = true
            #expect(await code { try await rig.engine.cancel(job.jobID) } == .storeUnavailable)
            #expect(await code { try await rig.engine.cancel(job.jobID, force: true) } == .storeUnavailable)
            #expect(
                await code { try await rig.startRun(of: job.jobID, "b", .replace) } == .storeUnavailable)
            #expect(context?.isCancelled == false)
            #expect(rig.engine.job(job.jobID).value?.state == .running)
            #expect(rig.engine.metrics.storeFailures == 3)
            rig.store.isFailing = false
            rig.computation.succeed("a")
            #expect(
                await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))?.state == .succeeded)
            #expect(rig.sink.lines == ["1-1 queued", "1-2 started", "1-3 succeeded", "1-4 end"])
        }
    }

    @Test func `a result that can't be recorded is kept back and recorded later`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            await rig.computation.started("a")
            rig.store.isFailing = true
            rig.computation.succeed("a", 1)
            await rig.clock.waitForSleepers()
            #expect(rig.engine.job(job.jobID).value?.state == .running)
            #expect(rig.sink.lines == ["1-1 queued", "1-2 started"])
            rig.clock.advance(by: rig.engine.limits.storeRetryInterval)
            await rig.clock.waitForSleepers()
            #expect(rig.engine.metrics.storeFailures == 2)
            rig.store.isFailing = false
            rig.clock.advance(by: rig.engine.limits.storeRetryInterval)
            let snapshot = await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))
            #expect(snapshot?.currentRun.result == 1)
            #expect(rig.sink.lines.count == 4)
        }
    }

    @Test func `a cancel recorded before a kept back result wins`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a")
            await rig.computation.started("a")
            rig.store.isFailing = true
            rig.computation.succeed("a")
            await rig.clock.waitForSleepers()
            rig.store.isFailing = false
            let receipt = try await rig.engine.cancel(job.jobID)
            #expect(receipt.state == .cancelling)
            rig.clock.advance(by: rig.engine.limits.storeRetryInterval)
            #expect(
                await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))?.state == .cancelled)
            #expect(rig.engine.metrics.resultsRefused == [.cancelled: 1])
        }
    }

    @Test func `a time limit that can't be recorded is tried again`() async throws {
        try await Rig.run { rig in
            let job = try await rig.create("a", timeout: .seconds(5))
            await rig.computation.started("a")
            await rig.clock.waitForSleepers()
            rig.store.isFailing = true
            rig.clock.advance(by: .seconds(5))
            await rig.clock.waitForSleepers()
            #expect(rig.engine.job(job.jobID).value?.state == .running)
            rig.store.isFailing = false
            rig.clock.advance(by: rig.engine.limits.storeRetryInterval)
            #expect(
                await rig.engine.waitUntilTerminal(job.jobID, for: .seconds(60))?.state == .timedOut)
        }
    }

    @Test func `verbs that arrive together are recorded together`() async throws {
        try await Rig.run(workers: 1) { rig in
            let (entered, leave) = (BlockingQueue<Void>(), BlockingQueue<Void>())
            rig.store.beforeCommit {
                _ = entered.put(())
                _ = leave.take()
            }
            let first = Task { try await rig.create("first") }
            // The engine's thread is inside its first commit now; what is posted meanwhile waits in the mailbox.
            await offPool { _ = entered.take() }
            let answers = Locked<[StartReceipt]>([])
            for name in ["a", "b", "c"] {
                let input = Rig.input(name)
                let start = PreparedStart(
                    request: StartRequest(.newJob(kind: "gated", input: input)), kind: "gated", input: input,
                    work: { _ in .null }, newJobID: .random(), newRunID: .random())
                rig.engine.post(
                    .start(start) { result in
                        if let receipt = try? result.get() { answers.withLock { $0.append(receipt) } }
                    })
            }
            leave.close()
            _ = try await first.value
            try await rig.create("last")
            #expect(answers.withLock { $0.count } == 3)
            let created = rig.store.commits.map { commit in
                commit.count { if case .jobCreated = $0 { true } else { false } }
            }
            #expect(created.first == 1)
            #expect(created.dropFirst().first == 3)
        }
    }

    @Test func `a change is recorded, then readable, then told`() async throws {
        try await Rig.run { rig in
            let broken = Locked<[String]>([])
            rig.sink.onEvent { event in
                let recorded = rig.store.commits.joined().contains(.eventAppended(event))
                let seen = rig.engine.run(event.jobID, event.runID).value?.lastSeq ?? 0
                if !recorded || seen < event.seq { broken.withLock { $0.append("\(event)") } }
            }
            let first = try await rig.create("a", stubborn: true)
            await rig.computation.started("a")
            try await rig.startRun(of: first.jobID, "b", .replace)
            rig.computation.succeed("a")
            rig.computation.succeed("b")
            await rig.sink.wait(for: "1-5 end")
            await rig.sink.wait(for: "2-4 end")
            #expect(broken.withLock { $0 } == [])
        }
    }
}

/// Runs what blocks on a thread of its own.
func offPool(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        _ = OwnThread(name: "test") {
            body()
            continuation.resume()
        }
    }
}
