import Glibc

/// A UUID (RFC 9562): 128 bits, compared as bytes, so that version 7 IDs sort by the time they were made.
///
/// The standard library has none; Foundation's would pull Foundation into the hub and the job core.
public struct UniqueID: Sendable, Hashable, Comparable {
    /// The first 64 bits, big-endian.
    public let high: UInt64
    /// The last 64 bits, big-endian.
    public let low: UInt64

    /// The 128 bits as two big-endian halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A random ID: version 4 (RFC 9562, section 5.4). 122 bits from the system's generator, unguessable.
    public static func random() -> UniqueID {
        let (high, low) = randomHalves()
        return UniqueID(high: high & ~0xF000 | 0x4000, low: low & ~(0b11 << 62) | 0b10 << 62)
    }

    /// An ID that sorts by time: version 7 (RFC 9562, section 5.7). 48 bits of time, 74 random bits.
    public static func timeOrdered(at time: Timestamp) -> UniqueID {
        let (high, low) = randomHalves()
        let milliseconds = UInt64(clamping: time.millisecondsSinceEpoch)
        return UniqueID(
            high: milliseconds << 16 | 0x7000 | high & 0x0FFF, low: low & ~(0b11 << 62) | 0b10 << 62)
    }

    /// Parses the textual form of RFC 9562, section 4: 36 characters, hexadecimal digits of either case.
    /// Nil for anything else: no braces, no `urn:uuid:`. Any version is taken.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let halves = text.withUTF8 { unsafe parse($0.span) }
        guard let halves else { return nil }
        (high, low) = halves
    }

    public static func < (left: UniqueID, right: UniqueID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension UniqueID: CustomStringConvertible {
    /// The textual form, in lower case as RFC 9562 asks of writers.
    public var description: String {
        unsafe text.span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of ``description``.
    var text: InlineArray<36, UInt8> {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var offset = 0
        for half in [high, low] {
            for shift in stride(from: 60, through: 0, by: -4) {
                if isHyphen(offset) { offset += 1 }
                text[offset] = digit(UInt8(half >> shift & 0xF))
                offset += 1
            }
        }
        return text
    }
}

/// Where a hyphen stands in the textual form.
private func isHyphen(_ offset: Int) -> Bool { offset == 8 || offset == 13 || offset == 18 || offset == 23 }

private func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
}

private func parse(_ text: Span<UInt8>) -> (high: UInt64, low: UInt64)? {
    guard text.count == 36 else { return nil }
    var value: UInt128 = 0
    for offset in text.indices {
        if isHyphen(offset) {
            guard text[offset] == UInt8(ascii: "-") else { return nil }
        } else {
            guard let digit = text[offset].hexadecimalDigitValue else { return nil }
            value = value << 4 | UInt128(digit)
        }
    }
    return (UInt64(value >> 64), UInt64(truncatingIfNeeded: value))
}

/// From the system's generator (arc4random_buf(3)): both with one system call, where `SystemRandomNumberGenerator` takes two.
private func randomHalves() -> (high: UInt64, low: UInt64) {
    var halves: (UInt64, UInt64) = (0, 0)
    unsafe arc4random_buf(&halves, MemoryLayout.size(ofValue: halves))
    return halves
}
