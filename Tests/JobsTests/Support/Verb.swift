import Jobs
import Primitives

/// One thing that can happen to a job, for tests that try everything at every moment.
enum Verb: Hashable, CustomStringConvertible {
    case start(ConflictPolicy)
    /// Of the run with this ordinal; nil: of whichever is current.
    case cancel(Int?, force: Bool)
    case cancelAll(sparesQueued: Bool)
    case dispatched(Int)
    case progress(Int)
    case succeeded(Int)
    case failed(Int)
    case stopped(Int)
    case timedOut(Int)
    case unstartable(Int)
    case requeued(Int)
    /// A crash and the recovery.
    case interrupted(requeues: Bool)

    static let interrupted = Verb.interrupted(requeues: false)

    /// Everything that can happen to a job that ever had so many runs: to any of them, sensible or not, kept or not.
    static func all(runs: Int, maxRuns: Int) -> [Verb] {
        var verbs: [Verb] = [.cancel(nil, force: false), .cancel(nil, force: true)]
        for flag in [false, true] { verbs += [.interrupted(requeues: flag), .cancelAll(sparesQueued: flag)] }
        if runs < maxRuns { verbs += ConflictPolicy.allCases.map(Verb.start) }
        for run in 0..<runs {
            let run = run + 1
            verbs += [
                .cancel(run, force: false), .cancel(run, force: true), .dispatched(run), .progress(run),
                .succeeded(run), .failed(run), .stopped(run), .timedOut(run), .unstartable(run), .requeued(run),
            ]
        }
        return verbs
    }

    /// The only run that the verb may touch; nil when it names none.
    var target: Int? {
        switch self {
        case .start, .interrupted, .cancelAll: nil
        case .cancel(let run, _): run
        case .dispatched(let run), .progress(let run), .succeeded(let run), .failed(let run), .stopped(let run),
            .timedOut(let run), .unstartable(let run), .requeued(let run):
            run
        }
    }

    var isCancelOfCurrent: Bool { if case .cancel(nil, _) = self { true } else { false } }

    var description: String {
        switch self {
        case .start(let policy): "start(\(policy))"
        case .cancel(let run, let force): "cancel(\(run.map(String.init) ?? "current")\(force ? ", force" : ""))"
        case .cancelAll(let sparesQueued): "cancelAll(\(sparesQueued ? "but queued" : ""))"
        case .dispatched(let run): "dispatched(\(run))"
        case .progress(let run): "progress(\(run))"
        case .succeeded(let run): "succeeded(\(run))"
        case .failed(let run): "failed(\(run))"
        case .stopped(let run): "stopped(\(run))"
        case .timedOut(let run): "timedOut(\(run))"
        case .unstartable(let run): "unstartable(\(run))"
        case .requeued(let run): "requeued(\(run))"
        case .interrupted(let requeues): "interrupted(\(requeues ? "requeues" : ""))"
        }
    }

    /// What came of a verb.
    struct Effect {
        var actions: [JobAction] = []
        var start: StartDecision?
        var cancel: CancelDecision?
        /// The verb was refused with an error.
        var refused = false
    }

    static let time = Timestamp(millisecondsSinceEpoch: 1_000)

    func apply(to job: inout Job, limits: JobLimits = JobLimits()) -> Effect {
        let time = Verb.time
        switch self {
        case .start(let policy):
            let run = NewRun(id: .run(job.nextOrdinal), input: .null, timeout: .seconds(1))
            do throws(StartRefusal) {
                let transition = try job.start(run, onConflict: policy, limits: limits, at: time)
                return Effect(actions: transition.actions, start: transition.answer)
            } catch { return Effect(refused: true) }
        case .cancel(let run, let force):
            do throws(CancelRefusal) {
                let transition = try job.cancel(run.map { .run($0) }, force: force, at: time)
                return Effect(actions: transition.actions, cancel: transition.answer)
            } catch { return Effect(refused: true) }
        case .progress(let run):
            let known = job.run(.run(run))?.progress?.current ?? 0
            return Effect(actions: job.progress(.run(run), RunProgress(current: known + 1), at: time))
        default: return Effect(actions: applyWithoutAnswer(to: &job))
        }
    }

    private func applyWithoutAnswer(to job: inout Job) -> [JobAction] {
        let time = Verb.time
        let problem = RunProblem(code: "x", message: "y")
        return switch self {
        case .start, .cancel, .progress: []
        case .cancelAll(let sparesQueued): job.cancelAll(reason: .shutdown, sparesQueued: sparesQueued, at: time)
        case .dispatched(let run): job.dispatched(.run(run), at: time)
        case .succeeded(let run): job.runFinished(.run(run), .succeeded(.integer(Int64(run))), at: time)
        case .failed(let run): job.runFinished(.run(run), .failed(problem), at: time)
        case .stopped(let run): job.runFinished(.run(run), .stopped, at: time)
        case .timedOut(let run): job.timedOut(.run(run), at: time)
        case .unstartable(let run): job.unstartable(.run(run), problem, at: time)
        case .requeued(let run): job.requeued(.run(run), at: time)
        case .interrupted(let requeues): job.interrupted(reason: "crash", requeues: requeues, at: time)
        }
    }
}

extension UniqueID {
    /// The ID of the run with this ordinal, in tests of the machine.
    static func run(_ ordinal: Int) -> UniqueID { UniqueID(high: 1, low: UInt64(ordinal)) }
}

extension Job {
    static func forTest() -> Job {
        Job(id: UniqueID(high: 0, low: 1), kind: "test", input: .null, timeout: nil, createdAt: Verb.time)
    }

    var nextOrdinal: Int { (runs.last?.ordinal ?? 0) + 1 }
}
