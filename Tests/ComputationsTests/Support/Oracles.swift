/// What the sum has to be, found in other ways than the product's.
enum Oracle {
    /// The plain loop. Its relative error is at most terms * 2^-53.
    static func naive(_ terms: Int) -> Double {
        var sum = 0.0
        for term in 0..<terms { sum += Double(term + 1).squareRoot() }
        return sum
    }

    /// The Euler-Maclaurin expansion for `root * root` terms. With a square, the powers of n are integers, so that
    /// little is lost by rounding; what is left out is less than root^-9 / 9216.
    static func eulerMaclaurin(root: Int) -> Double {
        let m = Double(root)
        let zetaOfMinusHalf = -0.207_886_224_977_354_566
        let corrections = zetaOfMinusHalf + 1 / (24 * m) - 1 / (1_920 * m * m * m * m * m)
        return Double(root * (4 * root * root + 3) / 6) + Double(root * (4 * root * root + 3) % 6) / 6 + corrections
    }

    /// What the kernel adds to each of the eight lanes, term by term.
    static func lanes(first: UInt64, count: UInt64, addedTo start: [Double]) -> [Double] {
        var lanes = start
        for offset in 0..<count {
            lanes[Int(offset % 8)] += Double(first + offset).squareRoot()
        }
        return lanes
    }
}
