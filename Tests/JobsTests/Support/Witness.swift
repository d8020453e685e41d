import Jobs
import Primitives

/// Watches a job from outside, by what was asked and what was emitted, and knows the acceptance rule on its own: it
/// never asks the machine whether something is allowed.
struct Witness: Hashable {
    struct SeenRun: Hashable {
        var lastSeq = 0
        var isStarted = false
        /// Something asked it to stop: a cancel, a replacement, its time limit, a crash.
        var isAskedToStop = false
        var terminal: RunState?
        var hasEnded = false
        var progress = 0
    }

    private(set) var runs: [Int: SeenRun] = [:]
    private(set) var current = 0

    /// The rules that the verb and its effect broke.
    mutating func observe(_ verb: Verb, _ effect: Verb.Effect, _ job: Job) -> [String] {
        var broken: [String] = []
        let acceptable = isAcceptable(verb)
        let target = verb.target ?? (verb.isCancelOfCurrent ? current : nil)
        noteRequest(verb, effect)
        for action in effect.actions {
            switch action {
            case .emit(let event):
                if let target, event.ordinal != target { broken.append("\(verb) touched run \(event.ordinal)") }
                broken += see(event)
            case .currentRunChanged(let ordinal):
                if ordinal <= current { broken.append("run \(ordinal) became current after \(current)") }
                current = ordinal
            default: break
            }
        }
        if current == 0, !runs.isEmpty { current = 1 }
        broken += checkOutcome(verb, effect, acceptable)
        return broken + checkState(job)
    }

    /// Whether the rule wants this outcome, report or time limit accepted; nil for other verbs.
    private func isAcceptable(_ verb: Verb) -> Bool? {
        switch verb {
        case .succeeded(let run), .failed(let run), .stopped(let run), .progress(let run), .timedOut(let run):
            guard let seen = runs[run] else { return false }
            return run == current && seen.isStarted && !seen.isAskedToStop && seen.terminal == nil
        default: return nil
        }
    }

    private mutating func noteRequest(_ verb: Verb, _ effect: Verb.Effect) {
        switch effect.cancel {
        case .requested(let id), .ended(let id):
            for run in runs.keys where UniqueID.run(run) == id { runs[run]?.isAskedToStop = true }
        case .unchanged, nil: break
        }
        if case .start(.replace) = verb, effect.start != nil {
            for run in runs.keys { runs[run]?.isAskedToStop = true }
        }
    }

    private mutating func see(_ event: JobEvent) -> [String] {
        var broken: [String] = []
        var seen = runs[event.ordinal] ?? SeenRun()
        let name = "run \(event.ordinal), \(event.payload)"
        if event.seq != seen.lastSeq + 1 { broken.append("\(name): seq \(event.seq) after \(seen.lastSeq)") }
        if seen.hasEnded { broken.append("\(name): after end") }
        if seen.terminal != nil, event.payload != .end { broken.append("\(name): after a terminal event") }
        seen.lastSeq = event.seq
        switch event.payload {
        case .queued:
            if event.seq != 1 { broken.append("\(name): not the first event") }
        case .started:
            if seen.isStarted { broken.append("\(name): twice") }
            broken += mustBeLive(event, seen, name)
            seen.isStarted = true
        case .progress(let progress):
            broken += mustBeLive(event, seen, name)
            if progress.current < seen.progress { broken.append("\(name): goes back") }
            seen.progress = progress.current
        case .succeeded:
            broken += mustBeLive(event, seen, name)
            seen.terminal = .succeeded
        case .failed:
            broken += mustBeLive(event, seen, name)
            seen.terminal = .failed
        case .cancelRequested:
            if event.ordinal < current { broken.append("\(name): of an older run") }
            seen.isAskedToStop = true
        case .cancelled: seen.terminal = .cancelled
        case .timedOut: seen.terminal = .timedOut
        case .lost: seen.terminal = .lost
        case .end:
            if seen.terminal == nil { broken.append("\(name): without a terminal event") }
            seen.hasEnded = true
        }
        runs[event.ordinal] = seen
        return broken
    }

    private func mustBeLive(_ event: JobEvent, _ seen: SeenRun, _ name: String) -> [String] {
        var broken: [String] = []
        if event.ordinal != max(current, 1) { broken.append("\(name): while run \(current) is current") }
        if seen.isAskedToStop { broken.append("\(name): after it was asked to stop") }
        return broken
    }

    private func checkOutcome(_ verb: Verb, _ effect: Verb.Effect, _ acceptable: Bool?) -> [String] {
        guard let acceptable else { return [] }
        let emitted = effect.actions.contains { action in
            guard case .emit(let event) = action else { return false }
            return switch event.payload {
            case .succeeded, .failed, .progress, .cancelRequested: true
            default: false
            }
        }
        let refusals = effect.actions.count { if case .resultRefused = $0 { true } else { false } }
        if emitted != acceptable {
            return ["\(verb): \(emitted ? "accepted" : "refused") against the rule"]
        }
        let carriesResult = if case .succeeded = verb { true } else if case .failed = verb { true } else { false }
        return refusals == (carriesResult && !acceptable ? 1 : 0) ? [] : ["\(verb): \(refusals) refusals counted"]
    }

    private func checkState(_ job: Job) -> [String] {
        var broken: [String] = []
        for run in job.runs {
            guard let seen = runs[run.ordinal] else {
                broken.append("a run nobody heard of")
                continue
            }
            if seen.hasEnded != run.state.isTerminal || (seen.terminal ?? run.state) != run.state {
                broken.append("run \(run.ordinal) is \(run.state), events said \(String(describing: seen.terminal))")
            }
            if (run.result != nil) != (run.state == .succeeded) {
                broken.append("run \(run.ordinal) is \(run.state) with result \(String(describing: run.result))")
            }
            if run.state == .running, run.id != job.currentRunID {
                broken.append("run \(run.ordinal) runs and is not current")
            }
        }
        if let run = job.currentRun, run.ordinal != current {
            broken.append("current is \(run.ordinal), not \(current)")
        }
        return broken
    }
}
