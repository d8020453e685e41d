import Glibc
import Storage

/// Writes to the standard output, in pieces of 64 KiB.
struct StandardOutput {
    private static let pieceBytes = 64 << 10
    private var pending: [UInt8] = []

    mutating func append(_ bytes: [UInt8]) throws(StoreError) {
        pending += bytes
        if pending.count >= Self.pieceBytes { try flush() }
    }

    mutating func flush() throws(StoreError) {
        try write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// All of it at once.
    func write(_ bytes: [UInt8]) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(STDOUT_FILENO, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw StoreError(.ioFailed, "The output can't be written: \(lastSystemError()).")
            }
            written += count
        }
    }
}

/// Reads lines from the standard input.
struct StandardInput {
    /// A longer line is refused.
    static let maxLineBytes = 1 << 30
    private static let pieceBytes = 64 << 10

    private var buffer: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// As far as it is known to have no line feed.
    private var searched = 0

    /// Without the line feed; nil at the end. The last line may be without one.
    mutating func readLine() throws(StoreError) -> [UInt8]? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer {
                    start = end + 1
                    searched = start
                }
                return Array(buffer[start..<end])
            }
            searched = buffer.count
            guard buffer.count - start <= Self.maxLineBytes else {
                throw StoreError(.notImportable, "A line is longer than \(Self.maxLineBytes) bytes.")
            }
            guard try readMore() else {
                defer { start = buffer.count }
                return start < buffer.count ? Array(buffer[start...]) : nil
            }
        }
    }

    /// - Returns: false at the end.
    private mutating func readMore() throws(StoreError) -> Bool {
        buffer.removeFirst(start)
        searched -= start
        start = 0
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        var count: Int
        repeat { count = unsafe read(STDIN_FILENO, &piece, piece.count) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw StoreError(.ioFailed, "The input can't be read: \(lastSystemError()).") }
        buffer += piece[..<count]
        return count > 0
    }
}
