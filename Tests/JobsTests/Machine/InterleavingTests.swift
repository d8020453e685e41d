import Jobs
import Primitives
import Testing

/// Every sequence of verbs up to a depth, each verb at every moment and on every run, sensible or not.
///
/// Two sequences that lead to the same job and the same history have the same future, so each such pair is continued
/// once, with the number of sequences that lead to it: all sequences are covered, and counted, without walking each.
struct InterleavingTests {
    private struct Moment: Hashable {
        var job: Job
        var witness: Witness
    }

    @Test func `no interleaving of verbs breaks the acceptance rule`() throws {
        let (depth, maxRuns) = (8, 4)
        var frontier = [Moment(job: .forTest(), witness: Witness()): 1]
        var (sequences, steps) = (0, 0)
        for _ in 1...depth {
            var next: [Moment: Int] = [:]
            for (moment, paths) in frontier {
                for verb in Verb.all(runs: moment.job.runs.count, maxRuns: maxRuns) {
                    var after = moment
                    let effect = verb.apply(to: &after.job)
                    let broken = after.witness.observe(verb, effect, after.job) + startIsPossible(after.job)
                    try #require(broken.isEmpty, "\(verb) on \(moment.job.runs.map(\.state)): \(broken)")
                    next[after, default: 0] += paths
                    sequences += paths
                    steps += 1
                }
            }
            frontier = next
        }
        print("interleavings: \(sequences) sequences of up to \(depth) verbs, \(steps) distinct steps")
        #expect(sequences > 1_000_000)
    }

    /// Once the job is over, or before it began, a start makes a run that is current; while it is not, `replace` does.
    private func startIsPossible(_ job: Job) -> [String] {
        let isFree = job.currentRun?.state.isTerminal ?? true
        var copy = job
        let effect = Verb.start(isFree ? .reject : .replace).apply(to: &copy)
        return copy.currentRun?.ordinal == job.nextOrdinal && effect.start != nil
            ? [] : ["a new run was not possible"]
    }
}
