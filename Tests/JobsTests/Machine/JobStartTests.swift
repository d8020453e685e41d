import Jobs
import Primitives
import Testing

struct JobStartTests {
    private var job = Job.forTest()

    @Test mutating func `the first run is current and queued`() {
        let effect = Verb.start(.reject).apply(to: &job)
        #expect(effect.start == .current(replaces: nil))
        #expect(job.currentRun?.state == .queued)
        #expect(effect.payloads == ["1-1 queued"])
        #expect(effect.actions.contains(.enqueue(runID: .run(1))))
    }

    @Test mutating func `reject refuses while a run is under way`() throws {
        run(.start(.reject), .dispatched(1))
        let before = job
        #expect(throws: StartRefusal.conflict(currentRunID: .run(1))) {
            try job.start(
                NewRun(id: .run(2), input: .null), onConflict: .reject, limits: JobLimits(), at: Verb.time)
        }
        #expect(job == before)
    }

    @Test mutating func `join answers with the run under way and changes nothing`() {
        run(.start(.reject), .dispatched(1))
        let before = job
        let effect = Verb.start(.join).apply(to: &job)
        #expect(effect.start == .joined(runID: .run(1)))
        #expect(effect.actions.isEmpty)
        #expect(job == before)
    }

    @Test mutating func `replace makes the new run current before the old one has stopped`() {
        run(.start(.reject), .dispatched(1))
        let effect = Verb.start(.replace).apply(to: &job)
        #expect(effect.start == .current(replaces: .run(1)))
        #expect(job.runs.map(\.state) == [.cancelling, .queued])
        #expect(job.currentRunID == .run(2))
        #expect(effect.payloads == ["1-3 cancelRequested superseded", "current 2", "2-1 queued"])
        #expect(Verb.dispatched(2).apply(to: &job).payloads == ["2-2 started"])
        #expect(Verb.stopped(1).apply(to: &job).payloads == ["1-4 cancelled superseded", "1-5 end"])
        #expect(job.runs.map(\.state) == [.cancelled, .running])
    }

    @Test mutating func `replacing a queued run ends that at once`() {
        run(.start(.reject))
        let effect = Verb.start(.replace).apply(to: &job)
        #expect(effect.payloads == ["1-2 cancelled superseded", "1-3 end", "current 2", "2-1 queued"])
        #expect(effect.actions.contains(.dequeue(runID: .run(1))))
    }

    @Test mutating func `replace also ends the runs that waited behind the current one`() {
        run(.start(.reject), .dispatched(1), .start(.queue), .start(.queue), .start(.replace))
        #expect(job.runs.map(\.state) == [.cancelling, .cancelled, .cancelled, .queued])
        #expect(job.currentRunID == .run(4))
    }

    @Test mutating func `a replaced run that was being cancelled keeps its own reason`() {
        run(.start(.reject), .dispatched(1), .cancel(nil, force: false))
        #expect(Verb.start(.replace).apply(to: &job).payloads == ["current 2", "2-1 queued"])
        #expect(Verb.stopped(1).apply(to: &job).payloads == ["1-4 cancelled user", "1-5 end"])
    }

    @Test(arguments: [Verb.succeeded(1), .failed(1), .stopped(1), .cancel(nil, force: true), .interrupted])
    func `a run behind gets its turn whatever ends the current one`(ending: Verb) {
        var job = job
        for verb in [Verb.start(.reject), .dispatched(1), .start(.queue)] { _ = verb.apply(to: &job) }
        let effect = ending.apply(to: &job)
        #expect(job.currentRunID == .run(2))
        #expect(effect.payloads.last == "current 2")
        #expect(effect.actions.last == .enqueue(runID: .run(2)))
    }

    @Test mutating func `runs behind are bounded`() throws {
        var limits = JobLimits()
        limits.maxQueuedRunsPerJob = 1
        run(.start(.reject), .dispatched(1), .start(.queue))
        #expect(throws: StartRefusal.tooManyQueuedRuns) {
            try job.start(
                NewRun(id: .run(3), input: .null), onConflict: .queue, limits: limits, at: Verb.time)
        }
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `after the end of a run any policy starts a new one`(policy: ConflictPolicy) {
        var job = job
        for verb in [Verb.start(.reject), .dispatched(1), .succeeded(1)] { _ = verb.apply(to: &job) }
        #expect(Verb.start(policy).apply(to: &job).start == .current(replaces: nil))
        #expect(job.currentRun?.ordinal == 2)
    }

    @Test mutating func `the oldest finished runs are dropped`() {
        var limits = JobLimits()
        limits.maxRunsPerJob = 2
        for ordinal in 1...3 {
            let effect = Verb.start(.reject).apply(to: &job, limits: limits)
            #expect(effect.actions.contains(.runEvicted(runID: .run(1))) == (ordinal == 3))
            run(.dispatched(ordinal), .succeeded(ordinal))
        }
        #expect(job.runs.map(\.ordinal) == [2, 3])
    }

    private mutating func run(_ verbs: Verb...) {
        for verb in verbs { _ = verb.apply(to: &job) }
    }
}

extension Verb.Effect {
    /// What watchers see, in short.
    var payloads: [String] {
        actions.compactMap { action in
            switch action {
            case .emit(let event): "\(event.ordinal)-\(event.seq) \(event.payload.name)"
            case .currentRunChanged(let ordinal): "current \(ordinal)"
            default: nil
            }
        }
    }
}

extension JobEvent.Payload {
    var name: String {
        switch self {
        case .queued: "queued"
        case .started: "started"
        case .progress(let progress): "progress \(progress.current)"
        case .cancelRequested(let reason): "cancelRequested \(reason.cause)"
        case .cancelled(let reason): "cancelled \(reason.cause)"
        case .succeeded: "succeeded"
        case .failed(let problem): "failed \(problem.code)"
        case .timedOut: "timedOut"
        case .lost: "lost"
        case .end: "end"
        }
    }
}
