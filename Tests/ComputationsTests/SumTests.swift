import Jobs
import Testing

@testable import Computations

@Suite struct SumTests {
    @Test func `the examples of the contract`() async throws {
        #expect(try await compute(.init(terms: 0)) == 0)
        #expect(try await compute(.init(terms: 1)) == 1)
        #expect(abs(try await compute(.init(terms: 4)) - 6.146264369941973) <= 1e-14)
    }

    @Test func `small sums agree with the plain loop`() async throws {
        let chunk = SquareRootSum.chunkTerms
        let counts = Array(0...40) + [chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1, 100_003]
        for terms in counts {
            let (sum, naive) = (try await compute(.init(terms: terms), threads: 2), Oracle.naive(terms))
            // One term too many or too few would be 50 million times this.
            #expect(abs(sum - naive) <= naive * Double(terms) * 0x1p-53, "\(terms) terms")
        }
    }

    @Test func `large sums agree with the Euler-Maclaurin expansion`() async throws {
        for root in [2, 30, 1_000, 2_500, 4_000] {
            let sum = try await compute(.init(terms: root * root), threads: 2)
            let expected = Oracle.eulerMaclaurin(root: root)
            // Rounding leaves the sum a few units in the last place; the expansion was cut after its fifth term.
            let m = Double(root)
            let tolerance = expected * 0x1p-50 + 1 / (9_216 * m * m * m * m * m * m * m * m * m)
            #expect(abs(sum - expected) <= tolerance, "\(root * root) terms: \(sum), \(expected)")
        }
    }

    @Test func `compensation keeps what rounding takes away`() {
        var sum = NeumaierSum()
        for summand in [1, 1e100, 1, -1e100] { sum.add(summand) }
        #expect(sum.value == 2)

        var tenths = NeumaierSum()
        for _ in 0..<10_000_000 { tenths.add(0.1) }
        #expect(tenths.value == 1_000_000)
    }
}
