import CMicrohttpd
import Primitives

/// What happens to each request between libmicrohttpd and the application.
final class Exchanges: Sendable {
    private let respond: @Sendable (Request) -> Reply
    private let pending = PendingAnswers()

    init(respond: @escaping @Sendable (Request) -> Reply) {
        self.respond = respond
    }

    /// Answers what is pending, and from now on each request, with 503.
    func stop() {
        for answer in pending.stop() {
            answer.task?.cancel()
            answer.exchange.resume(with: Exchanges.stopping)
        }
    }

    func requestReceived(_ exchange: Exchange, _ raw: rc_request) {
        if let refusal = unsafe Refusal(raw.refusal) {
            return exchange.answer(with: refusal.response)
        }
        let request: Request
        do {
            request = try unsafe Request(raw)
        } catch {
            return exchange.answer(with: Refusal.malformedTarget(error).response)
        }
        if pending.isStopping {
            return exchange.answer(with: Exchanges.stopping)
        }
        switch respond(request) {
        case .now(let response): exchange.answer(with: response)
        case .later(let response): answer(exchange, later: response)
        case .stream(let head) where request.method == .head:
            // Without a body there is nothing to hand over.
            head.abandoned()
            exchange.answer(with: Response(status: head.status, headers: head.headers))
        case .stream(let head): exchange.stream(head)
        }
    }

    private func answer(_ exchange: Exchange, later response: @escaping @Sendable () async -> Response) {
        // Before anyone can know of it, for a resumption must not come first.
        exchange.suspend()
        guard let id = pending.add(exchange) else {
            return exchange.resume(with: Exchanges.stopping)
        }
        let task = Task { [pending] in
            let response = await response()
            pending.take(id)?.resume(with: response)
        }
        pending.attach(task, to: id)
    }

    private static let stopping = Problem(
        503, type: "/problems/stopping", title: "The server is stopping",
        detail: "Try again in a moment.", headers: ["Retry-After": "1", "Connection": "close"]
    ).response
}

extension Exchanges {
    /// For as long as `self` lives.
    var callbacks: rc_callbacks {
        unsafe rc_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            respond: { context, exchange, request in
                let exchanges = unsafe Unmanaged<Exchanges>.fromOpaque(context).takeUnretainedValue()
                unsafe exchanges.requestReceived(Exchange(exchange), request.pointee)
            },
            stream_taken: { stream, descriptor, isChunked in
                let head = unsafe Unmanaged<StreamHeadBox>.fromOpaque(stream).takeRetainedValue().head
                head.taken(HandedSocket(adopting: descriptor, isChunked: isChunked))
            },
            stream_abandoned: { stream in
                unsafe Unmanaged<StreamHeadBox>.fromOpaque(stream).takeRetainedValue().head.abandoned()
            })
    }
}

/// Carries a stream's head through C: retained on the way in, released by the one callback.
final class StreamHeadBox: Sendable {
    let head: StreamHead
    init(_ head: StreamHead) { self.head = head }
}
