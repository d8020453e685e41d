import Jobs
import Primitives
import TestSupport
import Testing

struct IdempotencyTests {
    private let key = IdempotencyKey("k", fingerprint: "POST /v1/jobs 1")

    @Test func `the same key gets the first answer, also when the job has moved on`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a", key: key)
            rig.computation.succeed("a")
            _ = await rig.engine.waitUntilTerminal(first.jobID, for: .seconds(60))
            let again = try await rig.create("a", key: key)
            #expect(again.isReplay)
            #expect(again.runID == first.runID)
            #expect(again.state == first.state)
            #expect(rig.engine.jobs().jobs.count == 1)
        }
    }

    @Test func `the key is looked at before the conflict policy`() async throws {
        try await Rig.run { rig in
            let first = try await rig.complete("a")
            let second = try await rig.startRun(of: first.jobID, "b", key: key)
            let again = try await rig.startRun(of: first.jobID, "b", key: key)
            #expect(again.isReplay)
            #expect(again.runID == second.runID)
        }
    }

    @Test func `another request with the same key is refused`() async throws {
        try await Rig.run { rig in
            try await rig.create("a", key: key)
            let other = IdempotencyKey("k", fingerprint: "POST /v1/jobs 2")
            #expect(await code { try await rig.create("b", key: other) } == .keyReused)
        }
    }

    @Test func `a request that was refused does not use up its key`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a")
            let key = self.key
            #expect(await code { try await rig.startRun(of: first.jobID, "b", key: key) } == .conflict)
            rig.store.isFailing = true
            #expect(await code { try await rig.create("b", key: key) } == .storeUnavailable)
            rig.store.isFailing = false
            let other = IdempotencyKey("k", fingerprint: "something else")
            let receipt = try await rig.create("c", key: other)
            #expect(!receipt.isReplay)
        }
    }

    @Test func `keys are forgotten after their lifetime`() async throws {
        try await Rig.run { rig in
            let first = try await rig.create("a", key: key)
            rig.clock.advance(by: rig.engine.limits.idempotencyKeyLifetime - .nanoseconds(1))
            let again = try await rig.create("a", key: key)
            #expect(again.runID == first.runID)
            rig.clock.advance(by: .nanoseconds(1))
            let new = try await rig.create("a", key: key)
            #expect(new.runID != first.runID)
            #expect(rig.engine.metrics.idempotencyKeys == 1)
        }
    }

    @Test func `the oldest keys make room`() async throws {
        try await Rig.run {
            $0.maxIdempotencyKeys = 2
        } _: { rig in
            for name in ["a", "b", "c"] {
                try await rig.create(name, key: IdempotencyKey(name, fingerprint: name))
            }
            #expect(rig.engine.metrics.idempotencyKeys == 2)
            let known = try await rig.create("b", key: IdempotencyKey("b", fingerprint: "b"))
            let forgotten = try await rig.create("a", key: IdempotencyKey("a", fingerprint: "a"))
            #expect(known.isReplay)
            #expect(!forgotten.isReplay)
        }
    }
}
