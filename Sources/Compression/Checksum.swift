import CZlib

/// The CRC-32 and the length of some plain bytes, made so that they can be put behind those of the bytes before.
///
/// Making it costs 0.4 us for 2 kB, once; putting it behind others costs 20 ns each time, whatever the length.
public struct Checksum: Sendable {
    /// As gzip has it (RFC 1952, section 8).
    let crc: UInt32
    /// In bytes, modulo 2^32 (RFC 1952, section 2.3.1: ISIZE).
    let length: UInt32
    /// What moves another CRC ahead by `length` bytes: zlib's crc32_combine_gen (1.2.12 and later).
    private let shift: UInt

    init(of text: borrowing Span<UInt8>) {
        crc = unsafe text.withUnsafeBufferPointer { unsafe UInt32(crc32_z(0, $0.baseAddress, $0.count)) }
        length = UInt32(truncatingIfNeeded: text.count)
        shift = crc32_combine_gen(text.count)
    }

    /// The CRC of bytes whose own is `crc` with these behind them.
    func crc(behind crc: UInt32) -> UInt32 {
        UInt32(crc32_combine_op(UInt(crc), UInt(self.crc), shift))
    }
}
