/// What one receiver's gzip member (RFC 1952, section 2.3) has held so far: all that compression costs a connection.
///
/// The member is `header`, then any pieces in the order of `append`, then `ending`. A body that is cut off without its
/// ending tells the receiver that something is missing.
public struct GzipMember: Sendable {
    /// Deflate, no name, no time; made by the fastest algorithm, on a system that is not told.
    public static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 255]

    private var crc: UInt32 = 0
    private var length: UInt32 = 0

    public init() {}

    /// The piece of this checksum is the next to be sent.
    public mutating func append(_ checksum: Checksum) {
        crc = checksum.crc(behind: crc)
        length &+= checksum.length
    }

    /// An empty last block of fixed codes (RFC 1951, section 3.2.6) and the trailer.
    public var ending: [UInt8] {
        var bytes: [UInt8] = [0x03, 0x00]
        for field in [crc, length] {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: field >> shift))
            }
        }
        return bytes
    }
}
