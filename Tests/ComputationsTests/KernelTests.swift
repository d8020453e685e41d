import TestSupport
import Testing

@testable import Computations

/// Every instruction set that this machine has, against the lanes added one by one.
@Suite struct KernelTests {
    static let variants = SquareRootKernel.allCases.filter(\.isSupported)

    private func expectSameBits(
        _ kernel: SquareRootKernel, first: UInt64, count: UInt64, from start: [Double] = Array(repeating: 0, count: 8),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var lanes: SquareRootKernel.Lanes = .init(repeating: 0)
        for lane in 0..<8 { lanes[lane] = start[lane] }
        kernel.add(first: first, count: count, to: &lanes)
        let expected = Oracle.lanes(first: first, count: count, addedTo: start)
        #expect(
            (0..<8).map { lanes[$0].bitPattern } == expected.map(\.bitPattern),
            "\(kernel): \(count) terms from \(first)", sourceLocation: sourceLocation)
    }

    @Test func `the baseline is always there and the best one is supported`() {
        #expect(SquareRootKernel.baseline.isSupported)
        #expect(SquareRootKernel.best.isSupported)
    }

    @Test(arguments: variants) func `short and odd counts leave no term out`(_ kernel: SquareRootKernel) {
        for count: UInt64 in 0...67 {
            expectSameBits(kernel, first: 1, count: count)
            expectSameBits(kernel, first: 1_000_003, count: count)
        }
    }

    @Test(arguments: variants) func `sums that were there are added to`(_ kernel: SquareRootKernel) {
        expectSameBits(kernel, first: 7, count: 123, from: [1, -2.5, 1e300, 0.1, -0.0, 3e-9, 7, 1e15])
    }

    @Test(arguments: variants) func `random stretches give the bits of the plain loop`(_ kernel: SquareRootKernel) {
        var random = SplitMix(seed: 2)
        for _ in 0..<200 {
            let magnitude = UInt64.random(in: 0...62, using: &random)
            let first = UInt64.random(in: 1...(1 << magnitude), using: &random)
            expectSameBits(kernel, first: first, count: UInt64.random(in: 0...300, using: &random))
        }
    }

    /// Up to 2^53 integers are exact as doubles; beyond it, adding 1 or 8 to a double would go wrong.
    @Test(arguments: variants) func `around 2^53 every integer counts`(_ kernel: SquareRootKernel) {
        let bound: UInt64 = 1 << 53
        for count: UInt64 in [1, 8, 9, 64, 100] {
            for offset: UInt64 in 0...20 {
                expectSameBits(kernel, first: bound - offset, count: count)
                expectSameBits(kernel, first: bound - count + 10 - min(offset, 20), count: count)
                expectSameBits(kernel, first: bound + offset, count: count)
            }
        }
    }

    @Test(arguments: variants) func `far beyond 2^53 integers are rounded one by one`(_ kernel: SquareRootKernel) {
        expectSameBits(kernel, first: (1 << 62) - 50, count: 100)
        expectSameBits(kernel, first: 1 << 62, count: 33)
        expectSameBits(kernel, first: (1 << 63) - 100, count: 100)
        expectSameBits(kernel, first: (1 << 63) - 1, count: 1)
    }
}
