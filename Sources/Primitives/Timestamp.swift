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
    /// RFC 3339 in UTC with three fractional digits: `2026-11-30T08:09:29.000Z`. Its years are 0000 to 9999: a time
    /// beyond them is written as the first or the last millisecond of these.
    public var description: String {
        unsafe text.span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private static let expressible: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// The bytes of ``description``.
    var text: InlineArray<24, UInt8> {
        let range = Self.expressible
        let (day, millisecond) = min(max(millisecondsSinceEpoch, range.lowerBound), range.upperBound)
            .flooredDivision(by: 86_400_000)
        let date = civilDate(daysSinceEpoch: day)
        // What the digits leave is the separators.
        var text = InlineArray<24, UInt8>(repeating: UInt8(ascii: "-"))
        text[10] = UInt8(ascii: "T")
        text[13] = UInt8(ascii: ":")
        text[16] = UInt8(ascii: ":")
        text[19] = UInt8(ascii: ".")
        text[23] = UInt8(ascii: "Z")
        write(date.year, to: &text, 0..<4)
        write(date.month, to: &text, 5..<7)
        write(date.day, to: &text, 8..<10)
        write(millisecond / 3_600_000, to: &text, 11..<13)
        write(millisecond / 60_000 % 60, to: &text, 14..<16)
        write(millisecond / 1_000 % 60, to: &text, 17..<19)
        write(millisecond % 1_000, to: &text, 20..<23)
        return text
    }
}

/// In decimal digits, with leading zeros, as many as the range has.
private func write(_ number: Int64, to text: inout InlineArray<24, UInt8>, _ range: Range<Int>) {
    var rest = number
    for offset in range.reversed() {
        text[offset] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
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

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
