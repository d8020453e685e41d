import Primitives
import TestSupport

@testable import Jobs

extension Simulation {
    private func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element? {
        choices.randomElement(using: &random)
    }

    // Sorted: the order of a dictionary is not the seed's.
    private var jobs: [JobSnapshot] { core.book.jobs.values.sorted { $0.serial < $1.serial } }
    private var busy: [UniqueID] { workers.busy.keys.sorted() }

    /// Up to four things that happen at once.
    func performRandomBatch() {
        advance(by: .milliseconds(Int.random(in: 0...2_000, using: &random)))
        var batch = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in randomCommand() }
        // A worker returns once.
        var returned: Set<UniqueID> = []
        batch.removeAll { command in
            guard case .workerReturned(_, let runID, _, _) = command else { return false }
            return !returned.insert(runID).inserted
        }
        said(by: batch)
        perform(batch)
    }

    private func randomCommand() -> JobCommand? {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: newJob()
        case 3..<8: newRun()
        case 8..<10: cancel()
        case 10..<13: progress()
        case 13..<17: pick(busy).map(returns)
        case 17: pick(jobs).flatMap { pick($0.runs) }.map { timeout($0.id) }
        case 18: .dropExpired(behind: 0)
        default: .retry
        }
    }

    private func start(_ target: StartRequest.Target, kind: String, input: JSONValue) -> JobCommand? {
        guard let work = work(kind, input) else { return nil }
        let name = "\(Int.random(in: 0..<8, using: &random))"
        let key = random.chance(oneIn: 3) ? IdempotencyKey(name, fingerprint: kind) : nil
        let request = StartRequest(
            target, timeout: random.chance(oneIn: 2) ? .seconds(9) : nil, idempotencyKey: key)
        let start = PreparedStart(
            request: request, kind: kind, input: input, work: work, newJobID: id(), newRunID: id())
        return .start(start) { _ in }
    }

    private func newJob() -> JobCommand? {
        let kind = pick(Self.kinds) ?? ""
        let input = JSONValue.integer(.random(in: 0...9_999, using: &random))
        // Now and then one that is there, or was.
        let known = random.chance(oneIn: 4) ? pick(jobs)?.id : nil
        return start(.newJob(id: known, kind: kind, input: input), kind: kind, input: input)
    }

    private func newRun() -> JobCommand? {
        guard let job = pick(jobs), let policy = pick(ConflictPolicy.allCases) else { return nil }
        return start(
            .existingJob(job.id, input: nil, onConflict: policy), kind: job.kind, input: job.input)
    }

    private func cancel() -> JobCommand? {
        guard let job = pick(jobs) else { return nil }
        let runID = random.chance(oneIn: 2) ? pick(job.runs)?.id : nil
        let request = CancelRequest(
            jobID: job.id, runID: runID, reason: .user, force: random.chance(oneIn: 4))
        return .cancel(request) { _ in }
    }

    /// Mostly of a run that has a worker.
    private func progress() -> JobCommand? {
        let runID = random.chance(oneIn: 8) ? pick(jobs).flatMap { pick($0.runs)?.id } : pick(busy)
        guard let runID, let jobID = jobID(of: runID) else { return nil }
        let slot = ProgressSlot()
        _ = slot.put(RunProgress(current: Int.random(in: 0...9, using: &random)))
        return .progress(jobID: jobID, runID: runID, slot)
    }

    private func jobID(of runID: UniqueID) -> UniqueID? {
        workers.busy[runID]?.jobID ?? jobs.first { $0.run(runID) != nil }?.id
    }

    private func timeout(_ runID: UniqueID) -> JobCommand {
        .timedOut(jobID: jobID(of: runID) ?? runID, runID: runID)
    }

    private func returns(_ runID: UniqueID) -> JobCommand {
        let mayStop = workers.busy[runID]?.isCancelled == true || random.chance(oneIn: 8)
        let outcome: RunOutcome =
            switch Int.random(in: 0..<4, using: &random) {
            case 0...1 where mayStop: .stopped
            case 3: .failed(RunProblem(code: "x", message: "y"))
            default: .succeeded(.integer(.random(in: 0...99_999, using: &random)))
            }
        let last = random.chance(oneIn: 2) ? RunProgress(current: 10) : nil
        return .workerReturned(jobID: workers.busy[runID]?.jobID ?? runID, runID: runID, outcome, lastProgress: last)
    }

    private func said(by batch: [JobCommand]) {
        for case .workerReturned(_, let runID, let outcome, _) in batch {
            said.append(Said(runID: runID, outcome: outcome, timesQueued: history.runs[runID]?.timesQueued ?? 0))
        }
    }

    // MARK: Ends

    func recover() { perform([.recover { _ in }]) }

    /// Lets everything come to its end, with a store that is well again.
    func settle() {
        store.decide(nil)
        store.refuse(nil)
        perform([.retry])
        while let runID = busy.first {
            let command = returns(runID)
            said(by: [command])
            perform([command])
        }
    }

    /// A graceful stop, during which the workers return in any order, or don't.
    func shutDown() {
        perform([.shutDown(.seconds(1)) {}])
        while !core.isFinished, !store.isDead {
            if busy.isEmpty || random.chance(oneIn: 6) {
                perform([.abandonWorkers])
            } else if let runID = pick(busy) {
                let command = returns(runID)
                said(by: [command])
                perform(random.chance(oneIn: 3) ? [.retry, command] : [command])
            }
        }
    }

    /// What became of what the workers of this life said: nothing may be lost. To be asked when all is recorded.
    /// - Parameter isExcused: whether words about this run don't count.
    func lostWords(_ isExcused: (UniqueID) -> Bool = { _ in false }) -> [String] {
        said.compactMap { said in
            guard !isExcused(said.runID), let run = history.runs[said.runID], run.timesQueued == said.timesQueued else {
                return nil
            }
            let isKept =
                switch (run.stop, run.terminal, said.outcome) {
                case (_?, .cancelled, _), (_?, .timedOut, _): true
                case (nil, .succeeded(let result), .succeeded(let value)): result == value
                case (nil, .failed(let problem), .failed(let why)): problem == why
                case (nil, .failed(let problem), .stopped): problem.code == "stopped"
                default: false
                }
            return isKept && run.hasEnded ? nil : "said \(said), but \(run)"
        }
    }

    /// Runs that are not over although nothing is left to do.
    func unfinishedRuns() -> [Run] { core.book.jobs.values.flatMap(\.runs).filter { !$0.state.isTerminal } }
}
