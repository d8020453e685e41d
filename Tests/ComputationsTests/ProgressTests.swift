import Jobs
import Testing

@testable import Computations

@Suite struct ProgressTests {
    static let chunk = SquareRootSum.chunkTerms

    @Test(arguments: [1, 8, chunk, chunk + 1, 10 * chunk, 10 * chunk + 7])
    func `one thread reports each chunk once and ends with the total`(_ terms: Int) async throws {
        let probe = RunProbe()
        _ = try await compute(.init(terms: terms), probe: probe)
        let expected = Array(stride(from: Self.chunk, to: terms, by: Self.chunk)) + [terms]
        #expect(probe.reports.map(\.current) == expected)
        #expect(probe.reports.allSatisfy { $0.total == terms && $0.unit == "terms" && $0.message == nil })
    }

    @Test(arguments: [2, 7]) func `several threads report within bounds and complete`(_ threads: Int) async throws {
        let terms = 50 * Self.chunk + 1
        let probe = RunProbe()
        _ = try await compute(.init(terms: terms), threads: threads, probe: probe)
        let reports = probe.reports
        // One for each chunk. A chunk that came before its turn moves nothing, not even from 0.
        #expect(reports.count == 51)
        #expect(reports.allSatisfy { (0...terms).contains($0.current) && $0.total == terms })
        #expect(reports.count { $0.current == terms } == 1)
    }

    @Test func `no terms, no progress`() async throws {
        let probe = RunProbe()
        _ = try await compute(.init(terms: 0), threads: 2, probe: probe)
        #expect(probe.reports.isEmpty)
    }

    @Test func `progress of the largest sum does not overflow`() async {
        let probe = RunProbe { _, flag in flag.raise() }
        await #expect(throws: CancellationError.self) { try await compute(.init(terms: .max), probe: probe) }
        #expect(probe.reports.map(\.current) == [Self.chunk])
        #expect(probe.reports.first?.total == .max)
    }
}
