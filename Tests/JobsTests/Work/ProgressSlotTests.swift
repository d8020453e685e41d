import Primitives
import Testing

@testable import Jobs

struct ProgressSlotTests {
    private let slot = ProgressSlot()

    @Test func `only the report that fills the slot is announced, and the newest is taken`() {
        #expect(slot.take() == nil)
        #expect(slot.put(RunProgress(current: 1)))
        #expect(!slot.put(RunProgress(current: 2)))
        #expect(!slot.put(RunProgress(current: 3)))
        #expect(slot.take()?.current == 3)
        #expect(slot.take() == nil)
        #expect(slot.put(RunProgress(current: 4)))
    }

    @Test func `a report that was overtaken does not replace the newer one`() {
        #expect(slot.put(RunProgress(current: 5)))
        #expect(!slot.put(RunProgress(current: 4)))
        #expect(slot.take()?.current == 5)
    }

    @Test func `the same progress with another message is newer`() {
        #expect(slot.put(RunProgress(current: 5, message: "a")))
        #expect(!slot.put(RunProgress(current: 5, message: "b")))
        #expect(slot.take()?.message == "b")
    }
}

/// The engine is held up while a run reports a thousand times: a thousand reports must not wait for it.
struct SlowEngineTests {
    @Test func `a run has one report in the mailbox, the newest`() async throws {
        try await Rig.run({ $0.progressInterval = .zero }) { rig in
            try await rig.create("a")
            let context = await rig.computation.started("a")
            let (entered, leave) = (BlockingQueue<Void>(), BlockingQueue<Void>())
            rig.store.beforeCommit {
                _ = entered.put(())
                _ = leave.take()
            }
            let other = Task { try await rig.create("b") }
            // The engine's thread is inside a commit now; what is reported meanwhile has to wait.
            await offPool { _ = entered.take() }
            for current in 1...1_000 { context?.report(RunProgress(current: current)) }
            leave.close()
            _ = try await other.value
            await rig.sink.wait(for: "1-3 progress 1000")
            #expect(rig.sink.events.count { if case .progress = $0.payload { true } else { false } } == 1)
        }
    }
}
