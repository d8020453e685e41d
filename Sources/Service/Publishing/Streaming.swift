import FanOut
import HTTPServer
import Hub

/// Answers a request with a stream: one HTTP connection is one subscription.
struct Streaming: Sendable {
    let hub: Hub
    let fanOut: FanOut
    let retryMilliseconds: Int
    /// The hub's bound.
    let maxSubscriptions: Int
    /// Whether clients that accept gzip get it.
    let compresses: Bool
    /// Nil without a store.
    let reopener: JobTopicReopener?

    /// The head of every stream: not to be stored, changed or buffered on its way (X-Accel-Buffering is nginx's).
    private var headers: Headers {
        var headers: Headers = [
            "Content-Type": "text/event-stream",
            "Cache-Control": "no-store, no-transform",
            "X-Accel-Buffering": "no",
        ]
        if compresses { headers["Vary"] = "Accept-Encoding" }
        return headers
    }

    /// The stream that a GET asks for, or why there is none.
    /// - Parameter unknown: what is to be said of a topic that is not there; nil says just that.
    func reply(
        to request: Request, with subscriptionRequest: SubscriptionRequest, orIfUnknown unknown: Problem? = nil
    ) -> Reply {
        guard accepts(eventStream: request) else {
            return .now(Problem.notAcceptable("This is a stream: accept text/event-stream.").response)
        }
        if let reopener, case let missing = reopener.missing(of: subscriptionRequest.topics), !missing.isEmpty {
            return .later {
                if let error = await reopener.reopen(missing) { return .response(busy(Problem(error), request)) }
                return finalReply(to: request, with: subscriptionRequest, orIfUnknown: unknown)
            }
        }
        switch finalReply(to: request, with: subscriptionRequest, orIfUnknown: unknown) {
        case .response(let response): return .now(response)
        case .stream(let head): return .stream(head)
        }
    }

    private func finalReply(
        to request: Request, with subscriptionRequest: SubscriptionRequest, orIfUnknown unknown: Problem?
    ) -> FinalReply {
        do throws(HubError) {
            return try open(subscriptionRequest, for: request)
        } catch {
            if case .unknownTopic = error, let unknown { return .response(unknown.response) }
            return .response(refusal(error, to: request))
        }
    }

    /// To be awaited before ``open(_:for:location:peerLeft:)`` for topics that may be of an earlier life of the server.
    func reopen(_ topics: [TopicName]) async {
        guard let reopener, case let missing = reopener.missing(of: topics), !missing.isEmpty else { return }
        // A stream that can't be had is told of when it is opened.
        _ = await reopener.reopen(missing)
    }

    /// - Parameters:
    ///   - location: names what the stream is about, where that was made by the same request.
    ///   - peerLeft: called when the connection is lost before the stream has ended, or there turns out to be none.
    ///     Not called when this throws.
    func open(
        _ subscriptionRequest: SubscriptionRequest, for request: Request, location: String? = nil,
        peerLeft: (@Sendable () -> Void)? = nil
    ) throws(HubError) -> FinalReply {
        let subscription = try hub.subscribe(subscriptionRequest)
        let isGzipped = compresses && AcceptEncoding(of: request).prefers("gzip")
        var headers = headers
        if isGzipped { headers["Content-Encoding"] = "gzip" }
        headers["Location"] = location
        let greeting = Frame.greeting(subscription, retryMilliseconds: retryMilliseconds)
        return .stream(
            StreamHead(
                headers: headers,
                taken: { [fanOut] socket, head in
                    let isChunked = socket.isChunked
                    fanOut.adopt(
                        descriptor: socket.take(), head: Frame(head: head), isChunked: isChunked, isGzipped: isGzipped,
                        subscription: subscription, greeting: greeting, peerLeft: peerLeft)
                },
                abandoned: { [hub] in
                    hub.detach(subscription.handle)
                    peerLeft?()
                }))
    }

    /// Whether one more stream can be had at this moment; for those who must know before they act.
    func requireRoom() throws(Problem) {
        guard hub.subscriptionCount < maxSubscriptions else {
            throw Problem(HubError.tooManySubscriptions(limit: maxSubscriptions))
        }
    }

    /// Why there is no stream, in a way that fits whoever asks for one.
    func refusal(_ error: HubError, to request: Request) -> Response {
        switch error {
        // WHATWG HTML, section 9.2.3: 204 is what tells an EventSource to stop reconnecting.
        case .ended: .noContent
        case .draining, .tooManySubscriptions: busy(Problem(error), request)
        // Whoever brings an id has known the topic in another life of the server: its publisher will make it again.
        case .unknownTopic(let name)
        where request.headers["Last-Event-ID"] != nil && !name.hasPrefix(JobTopicName.prefix):
            busy(Problem(error), request)
        default: Problem(error).response
        }
    }

    /// Any 4xx or 5xx makes an EventSource give up for good, so it gets an empty stream and a time to come back at,
    /// spread so that not all come back at once. It is known by asking for text/event-stream and nothing else.
    private func busy(_ problem: Problem, _ request: Request) -> Response {
        guard request.headers["Accept"]?.lowercased() == "text/event-stream" else { return problem.response }
        var headers = headers
        headers["Connection"] = "close"
        let milliseconds = Int.random(in: retryMilliseconds...retryMilliseconds + 4_000)
        return Response(status: 200, headers: headers, body: Array("retry: \(milliseconds)\n\n".utf8))
    }
}

/// Whether the client takes a stream: no Accept at all means anything (RFC 9110, section 12.5.1).
func accepts(eventStream request: Request) -> Bool {
    switch request.headers["Accept"] {
    // What nearly every client sends; the rest takes a closer look.
    case nil, "text/event-stream", "*/*": true
    default: acceptedTypes(request).contains { ["text/event-stream", "text/*", "*/*"].contains($0) }
    }
}

/// Whether the client asks for a stream by name.
func asksFor(eventStream request: Request) -> Bool {
    acceptedTypes(request).contains("text/event-stream")
}

/// The media ranges of Accept in lower case, without those of weight zero, which are not acceptable.
private func acceptedTypes(_ request: Request) -> [String] {
    request.headers.values(of: "Accept").flatMap { $0.split(separator: ",") }.compactMap { range in
        let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        return parts.dropFirst().contains(where: isZeroWeight) ? nil : parts.first
    }
}

private func isZeroWeight(_ parameter: String) -> Bool {
    parameter.hasPrefix("q=0") && parameter.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
}
