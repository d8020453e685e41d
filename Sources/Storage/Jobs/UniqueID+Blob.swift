import Primitives
import SQLite

extension UniqueID {
    /// The 16 bytes of the ID, in the order in which they are written.
    var blob: [UInt8] {
        [high, low].flatMap { half in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
        }
    }

    /// Nil unless there are 16 bytes.
    init?(blob: [UInt8]) {
        guard blob.count == 16 else { return nil }
        let halves = [blob[..<8], blob[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(high: halves[0], low: halves[1])
    }
}

extension Statement {
    func bind(_ id: UniqueID?) throws(SQLiteError) { try bind(id?.blob) }

    func bind(_ time: Timestamp?) throws(SQLiteError) { try bind(time?.millisecondsSinceEpoch) }

    /// Two parameters: seconds, attoseconds.
    func bind(_ duration: Duration?) throws(SQLiteError) {
        try bind(duration?.components.seconds)
        try bind(duration?.components.attoseconds)
    }
}
