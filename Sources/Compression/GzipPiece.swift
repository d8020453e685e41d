/// Some text as a part of any deflate stream: it refers to nothing before it, begins and ends at a byte, and is not the
/// last. So it is made once and sent to every receiver, whatever each of them has had before.
public struct GzipPiece: Sendable {
    /// Whole deflate blocks (RFC 1951, section 3.2), none of them the last. Never empty.
    public let bytes: [UInt8]
    /// Of the plain text, for each receiver's ``GzipMember``.
    public let checksum: Checksum
}
