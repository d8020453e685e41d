/// A UUID (RFC 9562): 128 bits, compared as bytes, so that version 7 IDs sort by the time they were made.
///
/// The standard library has none; Foundation's would pull Foundation into the hub and the job core.
public struct UniqueID: Sendable, Hashable, Comparable {
    private let high: UInt64
    private let low: UInt64

    /// The 128 bits as two big-endian halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A random ID: version 4 (RFC 9562, section 5.4). 122 bits from the system's generator, unguessable.
    public static func random() -> UniqueID {
        var generator = SystemRandomNumberGenerator()
        return UniqueID(
            high: generator.next() & ~0xF000 | 0x4000,
            low: generator.next() & ~(0b11 << 62) | 0b10 << 62)
    }

    /// An ID that sorts by time: version 7 (RFC 9562, section 5.7). 48 bits of time, 74 random bits.
    public static func timeOrdered(at time: Timestamp) -> UniqueID {
        var generator = SystemRandomNumberGenerator()
        let milliseconds = UInt64(clamping: time.millisecondsSinceEpoch)
        return UniqueID(
            high: milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF,
            low: generator.next() & ~(0b11 << 62) | 0b10 << 62)
    }

    /// Parses the textual form of RFC 9562, section 4: 36 characters, hexadecimal digits of either case.
    /// Nil for anything else: no braces, no `urn:uuid:`. Any version is taken.
    public init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard bytes.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (offset, byte) in bytes.enumerated() {
            switch offset {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard let digit = byte.hexadecimalDigitValue else { return nil }
                if digits < 16 {
                    halves.0 = halves.0 << 4 | UInt64(digit)
                } else {
                    halves.1 = halves.1 << 4 | UInt64(digit)
                }
                digits += 1
            }
        }
        high = halves.0
        low = halves.1
    }

    public static func < (left: UniqueID, right: UniqueID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension UniqueID: CustomStringConvertible {
    /// The textual form, in lower case as RFC 9562 asks of writers.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { text.append(UInt8(ascii: "-")) }
            let half = nibble < 16 ? high : low
            text.append(digits[Int(half >> (60 - 4 * (nibble % 16)) & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
