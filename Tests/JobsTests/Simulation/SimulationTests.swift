import Primitives
import TestSupport
import Testing

@testable import Jobs

/// Random lives of the engine, with a store that fails and processes that die. The rule holds for what is recorded over
/// all of them.
struct SimulationTests {
    @Test(arguments: UInt64(1)...8)
    func `the rule holds over failing commits, crashes and stops`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        for _ in 0..<25 {
            failAtRandom(simulation)
            for _ in 0..<Int.random(in: 1...40, using: &simulation.random) where !simulation.store.isDead {
                simulation.performRandomBatch()
                try #require(simulation.broken.isEmpty, "seed \(seed): \(simulation.broken)")
            }
            endLife(of: simulation)
            try #require(simulation.broken.isEmpty, "seed \(seed): \(simulation.broken)")
            simulation.restart()
            failAtRandom(simulation)
            // Before, in the middle of, or behind what is asked.
            if simulation.random.chance(oneIn: 3) { simulation.performRandomBatch() }
            simulation.recover()
        }
        if simulation.store.isDead {
            simulation.restart()
            simulation.recover()
        }
        simulation.settle()
        #expect(simulation.broken.isEmpty)
        #expect(simulation.lostWords().isEmpty && simulation.unfinishedRuns().isEmpty)
        // Or it would prove little.
        let runs = simulation.history.runs.values
        for end in ["succeeded", "failed", "cancelled", "lost"] {
            #expect(runs.contains { $0.terminal?.name.hasPrefix(end) == true }, "no run \(end)")
        }
        #expect(runs.contains { $0.timesQueued > 1 })
        print(
            "simulation, seed \(seed): \(simulation.lives) processes, \(simulation.batches) batches, "
                + "\(simulation.verbs) verbs, \(simulation.commits) commits, \(simulation.history.runs.count) runs")
    }

    /// With a store that refuses some results and starts for ever, and nothing else.
    @Test(arguments: UInt64(51)...58)
    func `what is refused holds up nobody`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        refuse({ $0.isMultiple(of: 3) }, in: simulation)
        var refused = 0
        for _ in 0..<200 {
            simulation.performRandomBatch()
            simulation.perform([.retry])
            try #require(simulation.broken.isEmpty, "seed \(seed): \(simulation.broken)")
            try #require(simulation.lostWords { $0.low.isMultiple(of: 3) }.isEmpty, "seed \(seed)")
            refused += simulation.lostWords().count
        }
        #expect(refused > 0)
        simulation.settle()
        #expect(simulation.lostWords().isEmpty && simulation.unfinishedRuns().isEmpty)
        #expect(simulation.broken.isEmpty)
    }

    /// Refuses the results of some runs, by the low part of their IDs, and the starts of others.
    private func refuse(_ isRefused: @escaping @Sendable (UInt64) -> Bool, in simulation: Simulation) {
        simulation.store.refuse { change in
            guard case .runChanged(_, let run) = change else { return false }
            return run.state == .succeeded && isRefused(run.id.low) || run.lastSeq == 1 && isRefused(run.id.low &+ 1)
        }
    }

    private func failAtRandom(_ simulation: Simulation) {
        let (seed, share) = (simulation.random.next(), Int(simulation.random.next() % 4))
        let refusal: @Sendable (UInt64) -> Bool = { low in
            var random = SplitMix(seed: seed ^ low)
            return share > 0 && random.chance(oneIn: 1 + share)
        }
        refuse(refusal, in: simulation)
        let (failing, dying) = (simulation.random.next() % 6, simulation.random.next() % 40)
        let salt = simulation.random.next()
        simulation.store.decide { number in
            var random = SplitMix(seed: salt &+ UInt64(number))
            if failing < 3, random.chance(oneIn: 2 + Int(failing)) { return .fail }
            return random.chance(oneIn: 20 + Int(dying)) ? .recordAndDie : .record
        }
    }

    /// Killed, stopped, or first brought to rest.
    private func endLife(of simulation: Simulation) {
        guard !simulation.store.isDead else { return }
        switch Int.random(in: 0..<4, using: &simulation.random) {
        case 0: simulation.shutDown()
        case 1:
            simulation.settle()
            #expect(simulation.lostWords().isEmpty)
            #expect(simulation.unfinishedRuns().isEmpty)
        default: break
        }
    }

    /// The same script, in which each commit fails in turn, alone and with those behind it.
    @Test(arguments: 1...3)
    func `a commit that fails has not happened, whichever it is`(inARow: Int) throws {
        let seed: UInt64 = 42
        func run(failing: Range<Int>) throws -> Int {
            let simulation = Simulation(seed: seed)
            simulation.store.decide { failing.contains($0) ? .fail : .record }
            for _ in 0..<40 { simulation.performRandomBatch() }
            simulation.settle()
            try #require(simulation.broken.isEmpty, "commits \(failing): \(simulation.broken)")
            try #require(simulation.lostWords().isEmpty && simulation.unfinishedRuns().isEmpty, "commits \(failing)")
            return simulation.store.attempts
        }
        let attempts = try run(failing: 0..<0)
        for first in 0..<attempts { _ = try run(failing: first..<first + inARow) }
        print("simulation: each of \(attempts) commits failed, \(inARow) in a row")
        #expect(attempts > 20)
    }

    /// The same script, in which the process dies behind each commit in turn, before or after anyone was told.
    @Test(arguments: [false, true])
    func `a process may die behind any commit`(told: Bool) throws {
        let seed: UInt64 = 43
        func run(dyingAfter last: Int) throws -> Int {
            let simulation = Simulation(seed: seed)
            simulation.store.decide { !told && $0 == last ? .recordAndDie : .record }
            for _ in 0..<40 where !simulation.store.isDead && simulation.store.attempts <= last {
                simulation.performRandomBatch()
            }
            let attempts = simulation.store.attempts
            simulation.restart()
            simulation.recover()
            for _ in 0..<5 { simulation.performRandomBatch() }
            simulation.settle()
            try #require(simulation.broken.isEmpty, "behind commit \(last): \(simulation.broken)")
            try #require(simulation.unfinishedRuns().isEmpty, "behind commit \(last)")
            return attempts
        }
        let commits = try run(dyingAfter: .max - 1)
        for last in 0..<commits { _ = try run(dyingAfter: last) }
        print("simulation: a process died behind each of \(commits) commits")
        #expect(commits > 20)
    }
}
