/// A point in wall-clock time, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// For people and for records only. Whatever waits or measures uses a monotonic clock.
public struct Timestamp: Sendable, Hashable, Comparable {
    public let millisecondsSinceEpoch: Int64

    public init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with three fractional digits: `2026-11-30T08:09:29.000Z`.
    public var description: String {
        let (day, millisecond) = millisecondsSinceEpoch.flooredDivision(by: 86_400_000)
        let date = civilDate(daysSinceEpoch: day)
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
            + "T\(padded(millisecond / 3_600_000, 2)):\(padded(millisecond / 60_000 % 60, 2))"
            + ":\(padded(millisecond / 1_000 % 60, 2)).\(padded(millisecond % 1_000, 3))Z"
    }
}

/// The proleptic Gregorian date of a day. Years are counted from March, so that the leap day is the
/// last of its year; 400 years have 146,097 days.
private func civilDate(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (daysSinceEpoch + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
}

private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
