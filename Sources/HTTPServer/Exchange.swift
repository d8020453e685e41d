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

    /// Takes the socket away from the server. On the server's thread, within the callback.
    func handOver() -> HandOver {
        var isChunked = false
        let descriptor = unsafe rc_exchange_hand_over(pointer, &isChunked)
        switch descriptor {
        case -1: return .refused
        case ..<0: return .lost
        default: return .socket(descriptor, isChunked: isChunked)
        }
    }

    enum HandOver {
        /// Non-blocking, nothing sent on it, and the caller's to close.
        case socket(Int32, isChunked: Bool)
        /// The server is stopping or out of descriptors: the exchange waits for another answer.
        case refused
        /// There is no connection any more.
        case lost
    }

    private func withHead(_ status: Int, _ headers: Headers, _ body: (inout rc_head) -> Void) {
        let block = HeaderBlock.terminated(headers)
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
