import Hub
import Primitives

/// Frames on their way into a socket, the first of them perhaps partly written.
struct Outgoing {
    private(set) var frames = ShortList<Frame>()
    /// How much of the first frame's range has been written, in bytes.
    private(set) var written = 0

    var isEmpty: Bool { frames.isEmpty }

    init(_ frames: ShortList<Frame> = ShortList<Frame>()) { self.frames = frames }

    /// What remains of the first frame.
    func firstRange(isChunked: Bool) -> Range<Int> {
        let range = frames[0].range(isChunked: isChunked)
        return range.lowerBound + written..<range.upperBound
    }

    /// Drops `count` bytes, which have been written, and the frames that are complete with them.
    mutating func drop(_ count: Int, isChunked: Bool) {
        written += count
        while let first = frames.first, written >= first.range(isChunked: isChunked).count {
            written -= first.range(isChunked: isChunked).count
            frames.removeFirst()
        }
    }
}
