import Jobs
import Primitives
import Testing

struct JobExecutionTests {
    private var job = Job.forTest()

    @Test mutating func `a run goes from queued over running to its result`() {
        run(.start(.reject))
        let dispatch = Verb.dispatched(1).apply(to: &job)
        #expect(dispatch.payloads == ["1-2 started"])
        #expect(dispatch.actions.contains(.startWorker(runID: .run(1))))
        #expect(dispatch.actions.contains(.armTimeout(runID: .run(1), after: .seconds(1))))
        #expect(Verb.progress(1).apply(to: &job).payloads == ["1-3 progress 1"])
        let end = Verb.succeeded(1).apply(to: &job)
        #expect(end.payloads == ["1-4 succeeded", "1-5 end"])
        #expect(end.actions.contains(.disarmTimeout(runID: .run(1))))
        #expect(job.currentRun?.result == 1)
        #expect(job.currentRun?.finishedAt == Verb.time)
    }

    @Test mutating func `a failure is an outcome like another`() {
        run(.start(.reject), .dispatched(1))
        #expect(Verb.failed(1).apply(to: &job).payloads == ["1-3 failed x", "1-4 end"])
        #expect(job.currentRun?.problem == RunProblem(code: "x", message: "y"))
    }

    @Test mutating func `a worker that gives up uncancelled has failed`() {
        run(.start(.reject), .dispatched(1))
        #expect(Verb.stopped(1).apply(to: &job).payloads == ["1-3 failed stopped", "1-4 end"])
    }

    @Test mutating func `progress never goes back or repeats itself`() {
        run(.start(.reject), .dispatched(1))
        let time = Verb.time
        #expect(job.progress(.run(1), RunProgress(current: 5), at: time).count == 1)
        #expect(job.progress(.run(1), RunProgress(current: 4), at: time).isEmpty)
        #expect(job.progress(.run(1), RunProgress(current: 5), at: time).isEmpty)
        #expect(job.progress(.run(1), RunProgress(current: 5, message: "still"), at: time).count == 1)
        #expect(job.currentRun?.progress?.message == "still")
    }

    @Test mutating func `a late result of a stale run is discarded and counted`() {
        run(.start(.reject), .dispatched(1), .start(.replace), .dispatched(2))
        let late = Verb.succeeded(1).apply(to: &job)
        #expect(late.actions.contains(.resultRefused(runID: .run(1), .superseded)))
        #expect(late.payloads == ["1-4 cancelled superseded", "1-5 end"])
        #expect(job.currentRun?.state == .running)
        #expect(job.run(.run(1))?.result == nil)
        #expect(Verb.progress(1).apply(to: &job).actions.isEmpty)
    }

    @Test mutating func `a second outcome of a run is refused`() {
        run(.start(.reject), .dispatched(1), .succeeded(1))
        #expect(Verb.failed(1).apply(to: &job).actions == [.resultRefused(runID: .run(1), .terminal)])
        #expect(job.currentRun?.state == .succeeded)
    }

    @Test mutating func `an outcome of a run that is no longer kept is refused`() {
        #expect(Verb.succeeded(7).apply(to: &job).actions == [.resultRefused(runID: .run(7), .unknown)])
    }

    @Test mutating func `after a crash what ran is lost, what was cancelled has stopped, what waited waits`() {
        run(.start(.reject), .dispatched(1), .start(.replace), .dispatched(2), .start(.queue))
        let effect = Verb.interrupted.apply(to: &job)
        #expect(job.runs.map(\.state) == [.cancelled, .lost, .queued])
        #expect(
            effect.payloads == [
                "1-4 cancelled superseded", "1-5 end", "2-3 lost", "2-4 end", "current 3",
            ])
        #expect(effect.actions.last == .enqueue(runID: .run(3)))
    }

    @Test mutating func `a crash does not touch a run that waits`() {
        run(.start(.reject))
        let before = job
        #expect(Verb.interrupted.apply(to: &job).actions.isEmpty)
        #expect(job == before)
    }

    private mutating func run(_ verbs: Verb...) {
        for verb in verbs { _ = verb.apply(to: &job) }
    }
}
