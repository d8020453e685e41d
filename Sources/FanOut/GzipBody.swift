import Compression
import Hub
import Primitives

/// A connection's body as one gzip member, put together of pieces that all share. Nine bytes.
struct GzipBody {
    private var member = GzipMember()
    private var hasBegun = false

    private static let header = Frame(text: GzipMember.header)

    /// What to send for these frames, which are the next: with the member's header before the first of all, and its
    /// trailer behind the last.
    mutating func encode(_ frames: ShortList<Frame>, isLast: Bool, by gzipFrames: inout GzipFrames) -> ShortList<Frame>
    {
        var encoded = ShortList<Frame>()
        if !hasBegun { encoded.append(Self.header) }
        hasBegun = true
        for frame in frames {
            let gzipFrame = gzipFrames.gzipFrame(of: frame)
            member.append(gzipFrame.checksum)
            encoded.append(gzipFrame.frame)
        }
        if isLast { encoded.append(Frame(text: member.ending)) }
        return encoded
    }
}
