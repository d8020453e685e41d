import CZlib

/// zlib's state of a raw deflate stream, used again and again: making one takes longer than resetting it.
///
/// Threading: one thread at a time. `@safe`: the pointer is made and freed here, and nothing else has it.
@safe final class DeflateState {
    /// zlib's own part of the state points back at this, so it must stay where it is.
    private let stream: UnsafeMutablePointer<z_stream>

    init(level: Int32) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // Raw (RFC 1951), since header and trailer are each receiver's own. The largest window and the usual hash table:
        // smaller ones are slower from 1 kB on, and gain 0.3 us below.
        let status = unsafe deflateInit2_(
            stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib is of another version, or out of memory")
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// The text as blocks that refer to nothing before and end at a byte; nil unless they are shorter than `limit`, in
    /// bytes. At most 4 GiB of text.
    func deflate(_ text: borrowing Span<UInt8>, below limit: Int) -> [UInt8]? {
        unsafe text.withUnsafeBufferPointer { text in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { output in
                unsafe deflateReset(stream)
                // zlib only reads its input, though its type does not say so.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: text.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(text.count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(limit)
                // Adds an empty stored block, which brings it to the end of a byte.
                unsafe CZlib.deflate(stream, Z_SYNC_FLUSH)
                // Without any room left zlib may have more to write.
                guard unsafe stream.pointee.avail_out > 0 else { return nil }
                return unsafe Array(output.prefix(limit - Int(stream.pointee.avail_out)))
            }
        }
    }
}
