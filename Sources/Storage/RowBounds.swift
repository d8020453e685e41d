import Primitives
import SQLite

/// What numbers in rows can be. What is beyond was not written by us: the database is damaged.
///
/// All rows are read through what is here, so that nothing overflows that counts on from them. What a start reads of jobs
/// and of the directory is refused; topics, events and times, whose numbers are no more than counts and places in an order,
/// are brought into the range. `runcast doctor` tells of both.
enum RowBounds {
    /// Counts, serials, ordinals, seqs, versions and positions are 0 to this: nobody gets there, and two can be added.
    static let maxNumber: Int64 = 1 << 62
    /// Milliseconds since 1970, from the year 0000 to the end of 9999: what can be written as RFC 3339 wants it.
    static let times: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// Of a time limit: 136 years, which in nanoseconds are still an `Int64`.
    static let timeoutSeconds: ClosedRange<Int64> = 0...(1 << 32)
    static let attoseconds: ClosedRange<Int64> = 0...999_999_999_999_999_999
}

extension Statement {
    /// A number of the row, which is refused out of range.
    func number(_ column: Int32, of row: @autoclosure () -> String) throws(StoreError) -> Int64 {
        let number = integer(column)
        guard 0...RowBounds.maxNumber ~= number else { throw .damaged("\(row()) has the number \(number)") }
        return number
    }

    /// A number of the row, brought into the range.
    func boundedNumber(_ column: Int32) -> UInt64 { UInt64(min(max(integer(column), 0), RowBounds.maxNumber)) }

    /// Brought into the range.
    func time(_ column: Int32) -> Timestamp {
        let (time, range) = (integer(column), RowBounds.times)
        return Timestamp(millisecondsSinceEpoch: min(max(time, range.lowerBound), range.upperBound))
    }

    /// Likewise; nil for NULL.
    func optionalTime(_ column: Int32) -> Timestamp? { isNull(column) ? nil : time(column) }

    /// Of two columns, seconds and attoseconds; nil for NULL. Refused out of range.
    func duration(_ column: Int32, of row: @autoclosure () -> String) throws(StoreError) -> Duration? {
        guard let seconds = optionalInteger(column) else { return nil }
        let attoseconds = integer(column + 1)
        guard RowBounds.timeoutSeconds ~= seconds, RowBounds.attoseconds ~= attoseconds else {
            throw .damaged("\(row()) has a time limit of \(seconds) s")
        }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }
}
