import CSquareRoots

/// The instruction sets that the inner loop exists for. All give the same bits.
enum SquareRootKernel: CaseIterable, Sendable {
    case baseline
    case avx2
    case avx512

    /// Partial sums: the term with offset i in its chunk belongs to lane i mod 8.
    typealias Lanes = [8 of Double]

    /// The widest one that this machine has; looked up once.
    static let best: SquareRootKernel = allCases.last { $0.isSupported } ?? .baseline

    var isSupported: Bool { rc_sqrt_is_supported(variant) }

    /// Adds the square roots of `first`, `first + 1`, ... (`count` of them) to `lanes`, from lane 0 on.
    ///
    /// `first + count` is at most 2^63. Where it goes beyond 2^53, each integer is rounded to a double first.
    func add(first: UInt64, count: UInt64, to lanes: inout Lanes) {
        var span = lanes.mutableSpan
        unsafe span.withUnsafeMutableBufferPointer { buffer in
            // Safety: eight doubles, as the kernel expects; the pointer is used during the call only.
            unsafe rc_sqrt_add(variant, first, count, buffer.baseAddress)
        }
    }

    private var variant: rc_sqrt_variant {
        switch self {
        case .baseline: RC_SQRT_BASELINE
        case .avx2: RC_SQRT_AVX2
        case .avx512: RC_SQRT_AVX512
        }
    }
}
