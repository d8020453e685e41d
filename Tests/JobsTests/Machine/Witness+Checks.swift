import Jobs
import Primitives

extension Witness {
    /// What a start has to come to, by its policy.
    func check(start verb: Verb, _ effect: Verb.Effect, _ before: Witness) -> [String] {
        guard case .start(let policy) = verb else { return [] }
        let current = UniqueID.run(before.current)
        let expected: StartDecision? =
            switch policy {
            case _ where !before.isUnderWay: .current(replaces: nil)
            case .reject: nil
            case .join: .joined(runID: current)
            case .replace: .current(replaces: current)
            case .queue: .queuedBehind
            }
        var broken = effect.start == expected ? [] : ["came to \(String(describing: effect.start))"]
        let makesRun = if case .joined = expected { false } else { expected != nil }
        if makesRun != (newest == before.newest + 1) { broken.append("\(newest - before.newest) new runs") }
        if !makesRun, self != before { broken.append("changed something") }
        return broken
    }

    /// What a cancel has to come to.
    func check(cancel verb: Verb, _ effect: Verb.Effect, _ before: Witness) -> [String] {
        guard case .cancel(let run, let force) = verb else { return [] }
        let target = run ?? before.current
        guard let known = before[target], target >= before.current else {
            return effect.refused && self == before ? [] : ["was not refused"]
        }
        let id = UniqueID.run(target)
        let expected: CancelDecision =
            if known.terminal != nil {
                .unchanged(runID: id)
            } else if known.isWaiting || force {
                .ended(runID: id)
            } else {
                .requested(runID: id)
            }
        return effect.cancel == expected ? [] : ["came to \(String(describing: effect.cancel)), not \(expected)"]
    }

    /// Whether an outcome, a report, a time limit counted, and whether a refused result was counted, as the rule wants.
    func check(outcome verb: Verb, _ effect: Verb.Effect, _ before: Witness) -> [String] {
        let run: Int
        switch verb {
        case .succeeded(let ordinal), .failed(let ordinal), .stopped(let ordinal), .progress(let ordinal),
            .timedOut(let ordinal), .requeued(let ordinal):
            run = ordinal
        default: return []
        }
        let isDue = run == before.current && before[run]?.isLive == true
        let payloads = effect.actions.compactMap { action in
            if case .emit(let event) = action { event.payload } else { nil }
        }
        let counted = payloads.contains { payload in
            switch payload {
            case .succeeded, .failed, .progress, .cancelRequested, .queued: true
            default: false
            }
        }
        let refusals = effect.actions.count { if case .resultRefused = $0 { true } else { false } }
        let isResult = if case .succeeded = verb { true } else if case .failed = verb { true } else { false }
        var broken = counted == isDue ? [] : ["\(counted ? "accepted" : "refused") against the rule"]
        if refusals != (isResult && !isDue ? 1 : 0) { broken.append("\(refusals) refusals counted") }
        // A worker that is back has stopped: nothing has to be waited for any more.
        if verb.isWorkersEnd, let seen = self[run], seen.isStarted, seen.terminal == nil {
            broken.append("run \(run) goes on without a worker")
        }
        return broken
    }

    /// Whether the job is what its events say, and the rim has what it needs to go on.
    func check(_ job: Job) -> [String] {
        var broken: [String] = []
        if job.currentRun.map({ $0.ordinal != current }) ?? (current != 0) {
            broken.append("current is \(String(describing: job.currentRun?.ordinal)), not \(current)")
        }
        if job.runs.map(\.ordinal) != ordinals { broken.append("has runs \(job.runs.map(\.ordinal))") }
        for run in job.runs {
            guard let seen = self[run.ordinal] else { continue }
            if run.state != seen.state { broken.append("run \(run.ordinal) is \(run.state), not \(seen.state)") }
            if run.lastSeq != seen.lastSeq { broken.append("run \(run.ordinal) is at \(run.lastSeq)") }
            if (run.result != nil) != (seen.terminal == .succeeded) { broken.append("run \(run.ordinal) has a result") }
            if run.state == .queued, run.progress != nil || run.startedAt != nil {
                broken.append("run \(run.ordinal) waits, and has come to \(String(describing: run.progress))")
            }
            if seen.isWaiting, seen.stop != nil || run.ordinal < current {
                broken.append("run \(run.ordinal) still waits")
            }
            let needsTurn = run.ordinal == current && run.state == .queued
            if seen.isInQueue != needsTurn { broken.append("run \(run.ordinal) in queue: \(seen.isInQueue)") }
            if seen.isTimed != (run.state == .running) { broken.append("run \(run.ordinal) timed: \(seen.isTimed)") }
            if run.state == .running, run.ordinal != current { broken.append("run \(run.ordinal) runs, not current") }
        }
        // Whoever waits behind a run that is over has its turn at once.
        if !isUnderWay, ordinals.contains(where: { $0 > current && self[$0]?.isWaiting == true }) {
            broken.append("nobody's turn")
        }
        return broken
    }
}

extension Witness.SeenRun {
    fileprivate var state: RunState {
        if let terminal { return terminal }
        if !isStarted { return .queued }
        return stop == nil ? .running : .cancelling
    }
}
