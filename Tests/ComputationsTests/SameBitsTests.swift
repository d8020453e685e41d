import Jobs
import Testing

@testable import Computations

/// The result does not depend on how it was computed.
@Suite struct SameBitsTests {
    /// More chunks than a task computes in one turn, and a last one that is neither full nor a multiple of eight.
    static let terms = 75 * SquareRootSum.chunkTerms + 12_345

    private func reference() async throws -> UInt64 { try await compute(.init(terms: Self.terms)).bitPattern }

    @Test(arguments: [1, 2, 3, 7]) func `for any number of threads`(_ threads: Int) async throws {
        let expected = try await reference()
        for _ in 0..<5 {
            #expect(try await compute(.init(terms: Self.terms), threads: threads).bitPattern == expected)
        }
    }

    @Test(arguments: [1, 7, 8, 9, 1_000, 4_096, 5_001, 32_767, 32_768, 32_769, Int.max])
    func `for any checkEvery`(_ checkEvery: Int) async throws {
        let work = SquareRootSum.Work(terms: Self.terms, checkEvery: checkEvery)
        #expect(try await compute(work, threads: 2).bitPattern == reference())
    }

    @Test(arguments: KernelTests.variants) func `for any instruction set`(_ kernel: SquareRootKernel) async throws {
        for terms in [4, 8, 9, 32_767, 32_769, Self.terms] {
            let expected = try await compute(.init(terms: terms), kernel: .baseline)
            let sum = try await compute(.init(terms: terms), threads: 2, kernel: kernel)
            #expect(sum.bitPattern == expected.bitPattern, "\(terms) terms")
        }
    }

    /// Chunks that end far apart in time: one thread of two is kept busy by somebody else's work.
    @Test func `when threads are unequally fast`() async throws {
        let expected = try await reference()
        let probe = RunProbe { progress, _ in
            var waste = 0.0
            for step in 0..<(progress.current / SquareRootSum.chunkTerms % 5) * 2_000 {
                waste += Double(step).squareRoot()
            }
            #expect(waste >= 0)
        }
        #expect(try await compute(.init(terms: Self.terms), threads: 3, probe: probe).bitPattern == expected)
    }
}
