import Compression
import Hub

/// A frame's text as a piece of any gzip body, ready for the wire. Made once, kept with the frame, and shared by every
/// connection that gets it, of whatever loop.
final class GzipFrame: Sendable {
    let frame: Frame
    let checksum: Checksum

    init(_ piece: GzipPiece) {
        frame = Frame(text: piece.bytes)
        checksum = piece.checksum
    }
}

/// A loop's way to the compressed form of frames.
struct GzipFrames {
    private let compressor = Compressor()
    /// Frames that were compressed here.
    private(set) var madeCount: UInt64 = 0

    /// The frame's own companion. If two loops make it at the same time, both get the one that was first.
    mutating func gzipFrame(of frame: Frame) -> GzipFrame {
        let companion = frame.companion ?? frame.keep(companion: make(frame))
        // Nothing else makes companions of frames.
        return unsafe unsafeDowncast(companion, to: GzipFrame.self)
    }

    private mutating func make(_ frame: Frame) -> GzipFrame {
        madeCount += 1
        let bytes = frame.bytes
        return GzipFrame(compressor.piece(of: bytes.span.extracting(frame.textRange)))
    }
}
