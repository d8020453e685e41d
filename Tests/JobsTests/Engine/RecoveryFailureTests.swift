import Primitives
import TestSupport
import Testing

@testable import Jobs

/// What is asked before the recovery is recorded.
struct RecoveryFailureTests {
    private let running = UniqueID.random()
    private let waiting = UniqueID.random()
    private let clock = ManualClock()

    /// Has a run that was running, and one that waited, when its process died.
    private func storeWithUnfinishedRuns() async throws -> RecordingStore {
        let store = RecordingStore(isDurable: true)
        try await Rig.run(workers: 1, store: store, clock: clock) { rig in
            try await rig.create("a", id: running)
            try await rig.create("b", id: waiting)
            store.die()
        }
        return store.reopened()
    }

    private let recovered = ["1-3 lost", "1-4 end", "1-2 started"]

    @Test func `starts and cancels that come before are decided after it`() async throws {
        try await Rig.run(workers: 1, store: storeWithUnfinishedRuns(), clock: clock) { rig in
            let input = Rig.input("c")
            let start = PreparedStart(
                request: StartRequest(.newJob(kind: "gated", input: input)), kind: "gated", input: input,
                work: { _ in .null }, newJobID: .random(), newRunID: .random())
            let answers = Locked<[RunState?]>([])
            rig.engine.post(
                .start(start) { result in
                    answers.withLock { $0.append((try? result.get())?.state) }
                })
            rig.engine.post(
                .cancel(CancelRequest(jobID: waiting, runID: nil, reason: .user, force: false)) { result in
                    answers.withLock { $0.append((try? result.get())?.state) }
                })
            #expect(rig.engine.jobs().jobs.map(\.id) == [waiting, running])
            await rig.engine.recover()
            // Behind the cancel, in whichever batch.
            #expect(await code { try await rig.engine.cancel(.random()) } == .unknownJob)
            #expect(answers.withLock { $0 } == [.queued, .cancelling])
            let told = Array(rig.sink.lines.prefix(5))
            #expect(told == recovered + ["1-1 queued", "1-3 cancelRequested user"])
        }
    }

    @Test func `nothing is decided while it can't be recorded, and it is tried again`() async throws {
        let store = try await storeWithUnfinishedRuns()
        try await Rig.run(workers: 1, store: store, clock: clock) { rig in
            store.isFailing = true
            let recovery = await rig.engine.recover()
            #expect(recovery == JobRecovery(failure: JobStoreError("the disk is full")))
            #expect(await code { try await rig.create("c") } == .storeUnavailable)
            #expect(await code { try await rig.engine.cancel(running) } == .storeUnavailable)
            #expect(rig.engine.job(running).value?.state == .running)
            #expect(await rig.engine.waitUntilTerminal(running, for: .zero)?.state == .running)
            #expect(rig.sink.lines.isEmpty)
            store.isFailing = false
            // The retry, and the wait of no time, which is over.
            await rig.clock.waitForSleepers()
            rig.clock.advance(by: rig.engine.limits.storeRetryInterval)
            await rig.sink.wait(for: "1-2 started")
            #expect(rig.sink.lines == recovered)
        }
    }

    @Test func `a start brings it about as soon as it can be recorded`() async throws {
        let store = try await storeWithUnfinishedRuns()
        try await Rig.run(workers: 1, store: store, clock: clock) { rig in
            store.isFailing = true
            await rig.engine.recover()
            store.isFailing = false
            let receipt = try await rig.create("c")
            #expect(receipt.state == .queued)
            #expect(rig.sink.lines == recovered + ["1-1 queued"])
        }
    }

    @Test func `a stop before it leaves all to the next process`() async throws {
        let store = try await storeWithUnfinishedRuns()
        let records = store.recorded.records
        try await Rig.run(store: store, clock: clock) { rig in
            await rig.engine.shutDown()
            #expect(await code { try await rig.create("c") } == .shuttingDown)
        }
        try await Rig.run(store: store, clock: clock) { rig in
            store.isFailing = true
            await rig.engine.recover()
            await rig.engine.shutDown()
        }
        #expect(store.recorded.records == records)
        #expect(store.attempts == 2)
    }

    @Test func `with nothing unfinished there is nothing to wait for`() async throws {
        let store = RecordingStore(isDurable: true)
        try await Rig.run(store: store, clock: clock) { rig in
            try await rig.complete("a", id: running)
            store.die()
        }
        let next = store.reopened()
        try await Rig.run(store: next, clock: clock) { rig in
            let second = try await rig.startRun(of: running, "b")
            #expect(second.ordinal == 2)
            let attempts = next.attempts
            #expect(await rig.engine.recover() == JobRecovery())
            #expect(next.attempts == attempts)
        }
    }
}
