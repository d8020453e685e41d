import CMicrohttpd

/// One request that waits for its answer.
///
/// `@unchecked Sendable`: 1. the pointer is valid until the answer has been given, and whoever gives
/// the answer gives this value up; 2. on the server's thread that is the end of the callback, on any
/// other thread `PendingAnswers` lets exactly one caller have it; 3. `rc_exchange_resume` may be
/// called on any thread, the others are called on the server's thread only. `@safe` by the same rules.
@safe struct Exchange: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    /// On the server's thread, within the callback.
    func answer(with response: Response) {
        unsafe withHead(response.status, response.headers) { head in
            unsafe response.body.withUnsafeBytes { body in
                unsafe rc_exchange_answer(pointer, &head, body.baseAddress, body.count)
            }
        }
    }

    /// On the server's thread, within the callback.
    func suspend() {
        unsafe rc_exchange_suspend(pointer)
    }

    /// After `suspend`, on any thread: the reply is given on the server's thread.
    func resume(with reply: FinalReply) {
        unsafe rc_exchange_resume(pointer, Unmanaged.passRetained(FinalReplyBox(reply)).toOpaque())
    }

    /// On the server's thread, within the callback.
    func stream(_ stream: StreamHead) {
        let box = unsafe Unmanaged.passRetained(StreamHeadBox(stream)).toOpaque()
        unsafe withHead(stream.status, stream.headers) { head in
            unsafe head.close = true
            unsafe rc_exchange_stream(pointer, &head, box)
        }
    }

    private func withHead(_ status: Int, _ headers: Headers, _ body: (inout rc_head) -> Void) {
        let block = HeaderBlock(headers)
        unsafe block.bytes.withUnsafeBufferPointer { bytes in
            // Never empty: the block ends with a NUL of its own.
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                var head = unsafe rc_head(
                    status: UInt32(status), fields: text.baseAddress!, field_count: block.count,
                    close: block.closes)
                unsafe body(&head)
            }
        }
    }
}
