import CZlib

/// zlib's own reading of a gzip member, strict: wrong blocks, a wrong trailer and bytes behind it are errors.
///
/// Threading: one thread at a time. `@safe`: the pointer is made and freed here, and nothing else has it.
@safe public final class Gunzip {
    public enum Status {
        case more, complete, broken
    }

    private let stream: UnsafeMutablePointer<z_stream>
    public private(set) var text: [UInt8] = []
    public private(set) var status = Status.more

    public init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 16 on top: gzip and nothing else.
        let status = unsafe inflateInit2_(
            stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK)
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Everything that these bytes, behind the former ones, tell is in `text` afterwards.
    public func feed(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        guard status == .more else { return status = .broken }
        var bytes = bytes
        unsafe bytes.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            var output = [UInt8](repeating: 0, count: 1 << 16)
            repeat {
                let (code, count) = unsafe output.withUnsafeMutableBufferPointer { output in
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(output.count)
                    let code = unsafe inflate(stream, Z_NO_FLUSH)
                    return unsafe (code, output.count - Int(stream.pointee.avail_out))
                }
                text += output.prefix(count)
                switch code {
                case Z_OK: break
                case Z_STREAM_END: status = unsafe stream.pointee.avail_in == 0 ? .complete : .broken
                // Nothing left to read or to write.
                case Z_BUF_ERROR: return
                default: status = .broken
                }
            } while unsafe status == .more && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
        }
    }
}

/// The text of a whole member; nil when it is broken or unfinished.
public func gunzip(_ member: [UInt8]) -> [UInt8]? {
    let reader = Gunzip()
    reader.feed(member)
    return reader.status == .complete ? reader.text : nil
}
