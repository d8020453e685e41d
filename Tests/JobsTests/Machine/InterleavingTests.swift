import Primitives
import Testing

@testable import Jobs

/// Every sequence of verbs, of any length, as long as it makes no more than so many runs: each verb at every moment and
/// on every run, sensible or not.
///
/// What happens next depends on the job as it is and on what was seen of it, so each such pair is continued once. There
/// are finitely many once what no rule looks at is left out: see ``Situation/settled``.
struct InterleavingTests {
    /// - Parameters:
    ///   - maxRuns: that are ever started.
    ///   - kept: of finished runs, older ones are dropped.
    @Test(arguments: [(maxRuns: 3, kept: 20), (maxRuns: 3, kept: 1)])
    func `no interleaving of verbs breaks the acceptance rule`(maxRuns: Int, kept: Int) throws {
        var limits = JobLimits()
        limits.maxRunsPerJob = kept
        let start = Situation(job: .forTest(), witness: Witness())
        var numbers = [start: 0]
        var found = [start]
        /// By situation: to where each verb leads.
        var steps: [[Int]] = []
        while steps.count < found.count {
            let situation = found[steps.count]
            var next: [Int] = []
            for verb in Verb.all(runs: situation.witness.newest, maxRuns: maxRuns) {
                var after = situation
                let effect = verb.apply(to: &after.job, limits: limits)
                let broken = after.witness.observe(verb, effect, after.job)
                try #require(broken.isEmpty, "\(situation.job.runs.map(\.state)): \(broken)")
                // Most verbs mean nothing at most moments.
                if after == situation {
                    next.append(steps.count)
                    continue
                }
                let settled = after.settled
                let number = numbers[settled] ?? found.count
                if number == found.count {
                    numbers[settled] = number
                    found.append(settled)
                }
                next.append(number)
            }
            steps.append(next)
        }
        let (depth, sequences) = (10, count(of: steps, depth: 10))
        print(
            "interleavings: all sequences of verbs with up to \(maxRuns) runs, \(kept) kept: \(found.count) situations, "
                + "\(steps.joined().count) steps; \(sequences) sequences of \(depth) verbs")
        #expect(sequences > 1_000_000_000)
    }

    /// How many different sequences of so many verbs there are.
    private func count(of steps: [[Int]], depth: Int) -> Int {
        var paths = [0: 1]
        for _ in 1...depth {
            var next: [Int: Int] = [:]
            for (situation, count) in paths {
                for target in steps[situation] { next[target, default: 0] += count }
            }
            paths = next
        }
        return paths.values.reduce(0, +)
    }
}

/// A job, and what was seen of it.
struct Situation: Hashable {
    var job: Job
    var witness: Witness

    /// With the same future, and fewer to tell apart. Numbers of events and progress are compared with those before
    /// them only, so that all may count from 1 again. A run that is over is not told apart by how it came there.
    var settled: Situation {
        var copy = self
        for index in copy.job.runs.indices {
            copy.job.runs[index].lastSeq = 1
            if copy.job.runs[index].progress != nil { copy.job.runs[index].progress = RunProgress(current: 1) }
            guard copy.job.runs[index].state.isTerminal else { continue }
            copy.job.runs[index].cancelReason = nil
            copy.job.runs[index].progress = nil
            copy.job.runs[index].problem = nil
            copy.job.runs[index].startedAt = nil
        }
        copy.witness.settle()
        return copy
    }
}

extension Witness {
    fileprivate mutating func settle() {
        for run in ordinals {
            guard var seen = self[run] else { continue }
            seen.lastSeq = 1
            seen.progress = min(1, seen.progress)
            if let terminal = seen.terminal {
                seen = SeenRun(lastSeq: 1, terminal: terminal, hasEnded: true, hasWorker: seen.hasWorker)
            }
            self[run] = seen
        }
    }
}
