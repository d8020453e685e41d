import CMicrohttpd

/// What happens to each request between libmicrohttpd and the application.
final class Exchanges: Sendable {
    private let respond: @Sendable (Request) -> Reply
    private let respondWhileStopping: (@Sendable (Request) -> Reply)?
    private let pending = PendingAnswers()

    init(
        respond: @escaping @Sendable (Request) -> Reply,
        respondWhileStopping: (@Sendable (Request) -> Reply)?
    ) {
        self.respond = respond
        self.respondWhileStopping = respondWhileStopping
    }

    /// Answers what is pending with 503, and from now on no request with anything that has to be waited for.
    func stop() {
        for answer in pending.stop() {
            answer.task?.cancel()
            answer.exchange.resume(with: .response(Exchanges.stopping))
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
            return exchange.answer(with: answerWhileStopping(request))
        }
        switch respond(request) {
        case .now(let response): exchange.answer(with: response)
        case .later(let reply): answer(exchange, isHead: request.method == .head, later: reply)
        case .byCall(let begin): answer(exchange, isHead: request.method == .head, byCall: begin)
        case .stream(let head): give(.stream(head), to: exchange, isHead: request.method == .head)
        }
    }

    private func answerWhileStopping(_ request: Request) -> Response {
        switch respondWhileStopping?(request) {
        case .now(var response):
            response.headers["Connection"] = "close"
            return response
        case .stream(let head): head.abandoned()
        case .later, .byCall, nil: break
        }
        return Exchanges.stopping
    }

    private func answer(
        _ exchange: Exchange, isHead: Bool, later reply: @escaping @Sendable () async -> FinalReply
    ) {
        guard let id = setAside(exchange) else { return }
        let task = Task { [pending] in pending.answer(id, isHead: isHead, with: await reply()) }
        pending.attach(task, to: id)
    }

    private func answer(
        _ exchange: Exchange, isHead: Bool, byCall begin: (@escaping @Sendable (FinalReply) -> Void) -> Void
    ) {
        guard let id = setAside(exchange) else { return }
        begin { [pending] reply in pending.answer(id, isHead: isHead, with: reply) }
    }

    /// Suspends the exchange until its answer is there. Nil, and answered, when the server is stopping.
    private func setAside(_ exchange: Exchange) -> Int? {
        // Before anyone can know of it, for a resumption must not come first.
        exchange.suspend()
        if let id = pending.add(exchange) { return id }
        exchange.resume(with: .response(Exchanges.stopping))
        return nil
    }

    /// On the server's thread.
    private func give(_ reply: FinalReply, to exchange: Exchange, isHead: Bool = false) {
        switch isHead ? reply.withoutBody : reply {
        case .response(let response): exchange.answer(with: response)
        case .stream(let head): stream(head, on: exchange)
        }
    }

    private func stream(_ head: StreamHead, on exchange: Exchange) {
        switch exchange.handOver() {
        case .socket(let descriptor, let isChunked):
            head.taken(
                HandedSocket(adopting: descriptor, isChunked: isChunked),
                ResponseHead(head, isChunked: isChunked).bytes)
        case .refused:
            head.abandoned()
            // An empty stream: whoever follows one comes back, while many give up for good upon an error.
            var response = Response(status: head.status, headers: head.headers)
            response.headers["Connection"] = "close"
            exchange.answer(with: response)
        case .lost:
            head.abandoned()
        }
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
            resumed: { context, exchange, reply in
                let exchanges = unsafe Unmanaged<Exchanges>.fromOpaque(context).takeUnretainedValue()
                let reply = unsafe Unmanaged<FinalReplyBox>.fromOpaque(reply).takeRetainedValue().reply
                exchanges.give(reply, to: unsafe Exchange(exchange))
            },
            reply_dropped: { reply in
                unsafe Unmanaged<FinalReplyBox>.fromOpaque(reply).takeRetainedValue().reply.drop()
            })
    }
}

/// Carries a late reply through C: retained on the way in, released by the one callback.
final class FinalReplyBox: Sendable {
    let reply: FinalReply
    init(_ reply: FinalReply) { self.reply = reply }
}

extension PendingAnswers {
    /// Only the first answer counts.
    fileprivate func answer(_ id: Int, isHead: Bool, with reply: FinalReply) {
        if let exchange = take(id) {
            exchange.resume(with: isHead ? reply.withoutBody : reply)
        } else {
            reply.drop()
        }
    }
}

extension FinalReply {
    /// The reply to HEAD: without a body there is no socket to hand over.
    fileprivate var withoutBody: FinalReply {
        guard case .stream(let head) = self else { return self }
        head.abandoned()
        return .response(Response(status: head.status, headers: head.headers))
    }

    /// It can't be given any more.
    fileprivate func drop() {
        if case .stream(let head) = self { head.abandoned() }
    }
}
