/// Frames in order. A list of one, which is what nearly every delivery is, allocates nothing.
public struct FrameList: Sendable {
    private var head: Frame?
    private var tail: [Frame] = []

    public init() {}
    public init(_ frames: Frame...) { for frame in frames { append(frame) } }

    public mutating func append(_ frame: Frame) {
        if head == nil { head = frame } else { tail.append(frame) }
    }

    /// O(n), but for a list of one.
    @discardableResult
    public mutating func removeFirst() -> Frame {
        let first = head!
        head = tail.isEmpty ? nil : tail.removeFirst()
        return first
    }
}

extension FrameList: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { head == nil ? 0 : 1 + tail.count }
    public subscript(position: Int) -> Frame { position == 0 ? head! : tail[position - 1] }
}
