import Jobs
import Primitives

/// Watches a job from outside, by what was asked and what was emitted, and knows the acceptance rule on its own: it
/// never asks the machine whether something is allowed.
///
/// The rule: nothing but the current run's worker is believed, and only between its start and the first request to stop.
/// Each run is queued, in the order of the ordinals, and has exactly one terminal event, then `end`.
struct Witness: Hashable {
    struct SeenRun: Hashable {
        enum Stop: Hashable {
            case timeout
            case other
        }

        var lastSeq = 0
        var isStarted = false
        /// What asked it to stop first: a cancel, a replacement, its time limit, the server's stop.
        var stop: Stop?
        var terminal: RunState?
        var hasEnded = false
        var progress = 0
        // What the rim does.
        var isInQueue = false
        var isTimed = false
        var hasWorker = false

        /// Its worker may be believed, if it is the current run.
        var isLive: Bool { isStarted && stop == nil && terminal == nil }
        var isWaiting: Bool { !isStarted && terminal == nil }
    }

    /// By ordinal, from 1; nil where a run is no longer kept.
    private var runs: [SeenRun?] = []
    private(set) var current = 0
    private(set) var newest = 0

    /// What was seen of the run with this ordinal, if it is kept.
    subscript(ordinal: Int) -> SeenRun? {
        get { runs.indices.contains(ordinal - 1) ? runs[ordinal - 1] : nil }
        set {
            while runs.count < ordinal { runs.append(nil) }
            if ordinal > 0 { runs[ordinal - 1] = newValue }
        }
    }

    /// Of the runs that are kept.
    var ordinals: [Int] { (1..<runs.count + 1).filter { runs[$0 - 1] != nil } }

    /// The rules that the verb and its effect broke.
    mutating func observe(_ verb: Verb, _ effect: Verb.Effect, _ job: Job) -> [String] {
        let before = self
        noteRequest(verb)
        if verb.isWorkersEnd, let run = verb.target { self[run]?.hasWorker = false }
        var broken: [String] = []
        for action in effect.actions { broken += see(action, verb, before) }
        if current == 0, newest > 0 { current = 1 }
        broken += check(start: verb, effect, before) + check(cancel: verb, effect, before)
        broken += check(outcome: verb, effect, before)
        if case .interrupted = verb {
            if ordinals.contains(where: { self[$0]?.isStarted == true && self[$0]?.terminal == nil }) {
                broken.append("a run survived")
            }
            for run in ordinals { self[run]?.hasWorker = false }
        }
        return (broken + check(job)).map { "\(verb): \($0)" }
    }

    /// Everyone knows which runs a request means, whatever the machine makes of it.
    private mutating func noteRequest(_ verb: Verb) {
        switch verb {
        case .cancel(let run, _):
            // Older runs can't be cancelled.
            if let run = run ?? (current == 0 ? nil : current), run >= current { ask(run, .other) }
        case .start(.replace):
            // The current run and those behind it; older ones are at their ends. Not if the current one was over.
            if isUnderWay { for run in ordinals where run >= current { ask(run, .other) } }
        case .cancelAll(let sparesQueued):
            for run in ordinals where !(sparesQueued && self[run]?.isWaiting == true) { ask(run, .other) }
        case .timedOut(let run):
            if run == current, self[run]?.isLive == true { ask(run, .timeout) }
        default: break
        }
    }

    private mutating func ask(_ run: Int, _ stop: SeenRun.Stop) {
        guard let seen = self[run], seen.terminal == nil, seen.stop == nil else { return }
        self[run]?.stop = stop
    }

    /// The job's current run is not over.
    var isUnderWay: Bool { self[current].map { $0.terminal == nil } ?? false }

    private mutating func see(_ action: JobAction, _ verb: Verb, _ before: Witness) -> [String] {
        switch action {
        case .emit(let event):
            let isOthers = verb.mayTouch(event.ordinal, before) ? [] : ["touched run \(event.ordinal)"]
            return isOthers + see(event, verb)
        case .currentRunChanged(let ordinal):
            defer { current = ordinal }
            return ordinal > current ? [] : ["run \(ordinal) became current after \(current)"]
        case .enqueue(let id): return set(id, \.isInQueue, true, "queued twice")
        case .dequeue(let id):
            self[ordinal(id)]?.isInQueue = false
            return []
        case .startWorker(let id):
            self[ordinal(id)]?.isInQueue = false
            return set(id, \.hasWorker, true, "has a worker already")
        case .cancelWorker(let id): return self[ordinal(id)]?.hasWorker == true ? [] : ["\(id) has no worker to cancel"]
        case .armTimeout(let id, _): return set(id, \.isTimed, true, "timed twice")
        case .disarmTimeout(let id):
            self[ordinal(id)]?.isTimed = false
            return []
        case .runEvicted(let id):
            let seen = self[ordinal(id)].take()
            return seen?.hasEnded == true && ordinal(id) != current ? [] : ["evicted a run that counts"]
        case .resultRefused: return []
        }
    }

    private func ordinal(_ id: UniqueID) -> Int { ordinals.first { UniqueID.run($0) == id } ?? 0 }

    private mutating func set(
        _ id: UniqueID, _ flag: WritableKeyPath<SeenRun, Bool>, _ value: Bool, _ complaint: String
    ) -> [String] {
        let run = ordinal(id)
        guard self[run]?[keyPath: flag] != value else { return ["run \(run) \(complaint)"] }
        self[run]?[keyPath: flag] = value
        return []
    }

    // MARK: Events

    private mutating func see(_ event: JobEvent, _ verb: Verb) -> [String] {
        var seen = self[event.ordinal] ?? SeenRun()
        var broken: [String] = []
        func check(_ isFine: Bool, _ complaint: String) {
            if !isFine { broken.append("run \(event.ordinal), \(event.payload): \(complaint)") }
        }
        check(event.seq == seen.lastSeq + 1, "seq \(event.seq) after \(seen.lastSeq)")
        check(!seen.hasEnded, "after end")
        check(seen.terminal == nil || event.payload == .end, "after a terminal event")
        seen.lastSeq = event.seq
        let isCurrent = event.ordinal == max(current, 1)
        switch event.payload {
        case .queued:
            if event.seq == 1 {
                check(event.ordinal == newest + 1, "after run \(newest)")
                newest = event.ordinal
            } else {
                check(verb.requeues && seen.isLive && isCurrent, "queued again")
                (seen.isStarted, seen.progress, seen.hasWorker) = (false, 0, false)
            }
        case .started:
            check(isCurrent && seen.isWaiting && seen.stop == nil, "started")
            seen.isStarted = true
        case .progress(let progress):
            check(isCurrent && seen.isLive, "not to be believed")
            check(progress.current >= seen.progress, "goes back")
            seen.progress = progress.current
        case .succeeded:
            check(isCurrent && seen.isLive, "not to be believed")
            seen.terminal = .succeeded
        case .failed:
            check(verb.isUnstartable ? seen.isWaiting : isCurrent && seen.isLive, "not to be believed")
            seen.terminal = .failed
        case .cancelRequested:
            check(event.ordinal >= current && seen.isStarted && seen.stop != nil, "nobody asked")
        case .cancelled:
            check(seen.stop == .other, "stopped for \(String(describing: seen.stop))")
            seen.terminal = .cancelled
        case .timedOut:
            check(seen.stop == .timeout, "stopped for \(String(describing: seen.stop))")
            seen.terminal = .timedOut
        case .lost:
            check(verb == .interrupted && seen.isLive, "not lost")
            seen.terminal = .lost
        case .end:
            check(seen.terminal != nil, "without a terminal event")
            seen.hasEnded = true
        }
        self[event.ordinal] = seen
        return broken
    }
}

extension Verb {
    /// The worker of its run has said its last word.
    var isWorkersEnd: Bool {
        switch self {
        case .succeeded, .failed, .stopped: true
        default: false
        }
    }

    fileprivate var requeues: Bool {
        switch self {
        case .requeued, .interrupted(requeues: true): true
        default: false
        }
    }

    fileprivate var isUnstartable: Bool { if case .unstartable = self { true } else { false } }

    fileprivate func mayTouch(_ ordinal: Int, _ witness: Witness) -> Bool {
        guard let only = target ?? (isCancelOfCurrent ? witness.current : nil) else { return true }
        return only == ordinal
    }
}
