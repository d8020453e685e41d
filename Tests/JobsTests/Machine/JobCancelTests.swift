import Jobs
import Primitives
import Testing

struct JobCancelTests {
    private var job = Job.forTest()

    @Test mutating func `a cancel before the result wins, however the computation ends`() {
        run(.start(.reject), .dispatched(1))
        let cancel = Verb.cancel(nil, force: false).apply(to: &job)
        #expect(cancel.cancel == .requested(runID: .run(1)))
        #expect(cancel.payloads == ["1-3 cancelRequested user"])
        let late = Verb.succeeded(1).apply(to: &job)
        #expect(late.payloads == ["1-4 cancelled user", "1-5 end"])
        #expect(late.actions.contains(.resultRefused(runID: .run(1), .cancelled)))
        #expect(job.currentRun?.result == nil)
    }

    @Test mutating func `a result before the cancel stays`() {
        run(.start(.reject), .dispatched(1), .succeeded(1))
        let before = job
        #expect(Verb.cancel(nil, force: true).apply(to: &job).cancel == .unchanged(runID: .run(1)))
        #expect(job == before)
    }

    @Test mutating func `a queued run is cancelled at once`() {
        run(.start(.reject))
        let effect = Verb.cancel(nil, force: false).apply(to: &job)
        #expect(effect.cancel == .ended(runID: .run(1)))
        #expect(effect.payloads == ["1-2 cancelled user", "1-3 end"])
    }

    @Test mutating func `a second cancel is harmless`() {
        run(.start(.reject), .dispatched(1), .cancel(nil, force: false))
        let before = job
        let effect = Verb.cancel(1, force: false).apply(to: &job)
        #expect(effect.cancel == .requested(runID: .run(1)))
        #expect(effect.actions.isEmpty)
        #expect(job == before)
    }

    @Test mutating func `force ends the run without its worker, whose result is refused`() {
        run(.start(.reject), .dispatched(1), .cancel(nil, force: false))
        let effect = Verb.cancel(nil, force: true).apply(to: &job)
        #expect(effect.cancel == .ended(runID: .run(1)))
        #expect(effect.payloads == ["1-4 cancelled user", "1-5 end"])
        #expect(Verb.succeeded(1).apply(to: &job).actions == [.resultRefused(runID: .run(1), .cancelled)])
    }

    @Test mutating func `an older run can't be cancelled, and nothing is`() {
        run(.start(.reject), .dispatched(1), .start(.replace))
        let before = job
        #expect(throws: CancelRefusal.notCurrent(currentRunID: .run(2))) {
            try job.cancel(.run(1), at: Verb.time)
        }
        #expect(job == before)
    }

    @Test mutating func `an unknown run can't be cancelled`() {
        #expect(throws: CancelRefusal.noRun) { try job.cancel(at: Verb.time) }
        run(.start(.reject))
        #expect(throws: CancelRefusal.unknownRun) { try job.cancel(.run(9), at: Verb.time) }
    }

    @Test mutating func `a run behind can be cancelled by its ID, and loses its turn`() {
        run(.start(.reject), .dispatched(1), .start(.queue), .start(.queue))
        #expect(Verb.cancel(2, force: false).apply(to: &job).cancel == .ended(runID: .run(2)))
        #expect(job.currentRun?.state == .running)
        run(.succeeded(1))
        #expect(job.currentRunID == .run(3))
    }

    @Test mutating func `a timeout before a cancel decides the end, also a forced one`() {
        run(.start(.reject), .dispatched(1))
        #expect(Verb.timedOut(1).apply(to: &job).payloads == ["1-3 cancelRequested timeout"])
        #expect(Verb.cancel(nil, force: true).apply(to: &job).payloads == ["1-4 timedOut", "1-5 end"])
        #expect(Verb.succeeded(1).apply(to: &job).actions == [.resultRefused(runID: .run(1), .timedOut)])
    }

    @Test mutating func `a cancel before a timeout decides the end`() {
        run(.start(.reject), .dispatched(1), .cancel(nil, force: false))
        #expect(Verb.timedOut(1).apply(to: &job).actions.isEmpty)
        #expect(Verb.stopped(1).apply(to: &job).payloads == ["1-4 cancelled user", "1-5 end"])
    }

    @Test mutating func `an older run's time limit does not touch the current run`() {
        run(.start(.reject), .dispatched(1), .start(.replace), .dispatched(2))
        #expect(Verb.timedOut(1).apply(to: &job).actions.isEmpty)
        #expect(job.currentRun?.state == .running)
    }

    @Test mutating func `cancelling all leaves no run that could start or succeed`() {
        run(.start(.reject), .dispatched(1), .start(.queue))
        let actions = job.cancelAll(reason: .shutdown, at: Verb.time)
        #expect(
            Verb.Effect(actions: actions).payloads
                == ["1-3 cancelRequested shutdown", "2-2 cancelled shutdown", "2-3 end"])
        #expect(
            Verb.succeeded(1).apply(to: &job).actions.contains(.resultRefused(runID: .run(1), .shutdown)))
        #expect(job.isTerminal)
    }

    private mutating func run(_ verbs: Verb...) {
        for verb in verbs { _ = verb.apply(to: &job) }
    }
}
