/// Text as it is, in stored blocks (RFC 1951, section 3.2.4) that begin and end at a byte.
enum StoredBlocks {
    /// What one block can hold, in bytes: its length has 16 bits.
    private static let capacity = 0xFFFF
    /// The block's type, padded to a byte, and its length twice.
    private static let headerLength = 5

    /// What text of so many bytes takes. No bytes make one empty block.
    static func byteCount(ofTextLength length: Int) -> Int {
        length + headerLength * max(1, (length + capacity - 1) / capacity)
    }

    static func bytes(of text: borrowing Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount(ofTextLength: text.count))
        var start = 0
        repeat {
            let end = min(start + capacity, text.count)
            let length = UInt16(end - start)
            bytes += [0]
            for field in [length, ~length] {
                bytes += [UInt8(truncatingIfNeeded: field), UInt8(truncatingIfNeeded: field >> 8)]
            }
            unsafe text.extracting(start..<end).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            start = end
        } while start < text.count
        return bytes
    }
}
