import Primitives
import TestSupport
import Testing

@testable import Jobs

/// A store that refuses some things, as one that is nearly full refuses a large result, and takes all others.
struct StoreRefusalTests {
    private let simulation: Simulation
    private let store: RecordingStore

    init() { self.init(workers: 3) }

    private init(workers: Int) {
        var limits = JobLimits()
        limits.maxRunningRuns = workers
        simulation = Simulation(seed: 1, limits: limits)
        store = simulation.store
    }

    /// What became of starts: by their jobs.
    private final class Answers: Sendable {
        private let answers = Locked<[UniqueID: [JobError.Code?]]>([:])
        func add(_ jobID: UniqueID, _ code: JobError.Code?) { answers.withLock { $0[jobID, default: []].append(code) } }
        func callAsFunction(_ start: PreparedStart) -> [JobError.Code?] {
            answers.withLock { $0[start.newJobID] ?? [] }
        }
    }

    private let answers = Answers()

    private func prepared() throws -> PreparedStart {
        let (kind, input) = (Simulation.kinds[0], JSONValue.integer(1))
        return PreparedStart(
            request: StartRequest(.newJob(kind: kind, input: input)), kind: kind, input: input,
            work: try #require(simulation.work(kind, input)), newJobID: simulation.id(), newRunID: simulation.id())
    }

    private func command(_ start: PreparedStart) -> JobCommand {
        .start(start) { [answers] result in
            switch result {
            case .success: answers.add(start.newJobID, nil)
            case .failure(let error): answers.add(start.newJobID, error.code)
            }
        }
    }

    private func started() throws -> PreparedStart {
        let start = try prepared()
        simulation.perform([command(start)])
        return start
    }

    private func returned(_ start: PreparedStart, _ result: JSONValue = "done") -> JobCommand {
        .workerReturned(jobID: start.newJobID, runID: start.newRunID, .succeeded(result), lastProgress: nil)
    }

    private func state(of start: PreparedStart) -> RunState? {
        simulation.core.book.jobs[start.newJobID]?.currentRun.state
    }

    private func refuseResults(of starts: [PreparedStart]) {
        let refused = Set(starts.map(\.newRunID))
        store.refuse { change in
            guard case .runChanged(_, let run) = change else { return false }
            return run.result != nil && refused.contains(run.id)
        }
    }

    @Test func `a result that is refused holds up nobody else`() throws {
        let (poisoned, other) = (try started(), try started())
        refuseResults(of: [poisoned])
        simulation.perform([returned(poisoned), returned(other)])
        #expect(state(of: poisoned) == .running)
        #expect(state(of: other) == .succeeded)
        // Also together with what is tried again.
        let third = try prepared()
        simulation.perform([.retry, command(third)])
        #expect(state(of: third) == .running)
        simulation.perform([.retry, returned(third)])
        #expect(state(of: third) == .succeeded)
        #expect(answers(third) == [nil])
        #expect(state(of: poisoned) == .running)
        store.refuse(nil)
        simulation.perform([.retry])
        #expect(state(of: poisoned) == .succeeded)
        #expect(simulation.broken.isEmpty)
    }

    @Test func `a start that is refused is the only one`() throws {
        let starts = try (0..<5).map { _ in try prepared() }
        let refused = starts[1].newJobID
        store.refuse { if case .jobCreated(let job, _) = $0 { job.id == refused } else { false } }
        simulation.perform(starts.map(command))
        #expect(starts.map { answers($0) } == [[nil], [.storeUnavailable], [nil], [nil], [nil]])
        #expect(starts.map { state(of: $0) } == [.running, nil, .running, .running, .queued])
        #expect(simulation.broken.isEmpty)
    }

    /// The result fits, but not together with the start of the run that gets the worker.
    @Test func `a result is recorded although nothing can be started`() throws {
        let starts = try (0..<4).map { _ in try started() }
        let waiting = starts[3]
        #expect(state(of: waiting) == .queued)
        store.refuse { change in
            guard case .runChanged(_, let run) = change else { return false }
            return run.id == waiting.newRunID && run.state == .running
        }
        simulation.perform([returned(starts[0])])
        #expect(state(of: starts[0]) == .succeeded)
        #expect(state(of: waiting) == .queued)
        store.refuse(nil)
        simulation.perform([.retry])
        #expect(state(of: waiting) == .running)
        #expect(simulation.broken.isEmpty)
    }

    @Test func `a store that takes nothing is not asked once per command`() throws {
        store.isFailing = true
        let starts = try (0..<1_000).map { _ in try prepared() }
        simulation.perform(starts.map(command))
        #expect(starts.allSatisfy { answers($0) == [.storeUnavailable] })
        #expect(store.attempts < 40)
        #expect(simulation.broken.isEmpty)
    }

    /// More of them than failures in a row are borne.
    @Test func `those that are refused let the others have their turn`() throws {
        let test = StoreRefusalTests(workers: 30)
        let simulation = test.simulation
        let starts = try (0..<30).map { _ in try test.started() }
        simulation.store.isFailing = true
        simulation.perform(starts.map { test.returned($0) })
        simulation.store.isFailing = false
        test.refuseResults(of: Array(starts.dropLast()))
        for _ in 0..<5 { simulation.perform([.retry]) }
        #expect(starts.map { test.state(of: $0) } == Array(repeating: .running, count: 29) + [.succeeded])
        simulation.store.refuse(nil)
        simulation.perform([.retry])
        #expect(starts.allSatisfy { test.state(of: $0) == .succeeded })
        #expect(simulation.broken.isEmpty)
    }

    @Test func `a stop among what is refused is a stop, once`() throws {
        let (poisoned, other) = (try started(), try started())
        let late = try prepared()
        refuseResults(of: [poisoned])
        let stops = Locked(0)
        simulation.perform([
            returned(poisoned), .shutDown(.seconds(1)) { stops.withLock { $0 += 1 } }, command(late),
        ])
        #expect(answers(late) == [.shuttingDown])
        #expect(simulation.workers.busy[other.newRunID]?.isCancelled == true)
        #expect(simulation.core.shutdownCallers.count == 1 && simulation.core.shutdownTimers.count == 1)
        simulation.perform([returned(other)])
        #expect(simulation.core.isFinished)
        #expect(stops.withLock { $0 } == 1)
        #expect(state(of: other) == .cancelled)
        #expect(simulation.broken.isEmpty)
    }
}
