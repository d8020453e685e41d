import FanOut
import HTTPServer
import Hub
import Primitives

/// Answers a request with a stream: one HTTP connection is one subscription.
struct Streaming: Sendable {
    let hub: Hub
    let fanOut: FanOut
    let retryMilliseconds: Int

    /// The head of every stream: not to be stored, changed or buffered on its way (X-Accel-Buffering is nginx's).
    static let headers: Headers = [
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-store, no-transform",
        "X-Accel-Buffering": "no",
    ]

    /// - Parameter peerLeft: called when there is no stream, or its connection was lost before it had ended.
    func reply(
        to request: Request, with subscriptionRequest: SubscriptionRequest,
        peerLeft: (@Sendable () -> Void)? = nil
    ) -> FinalReply {
        guard accepts(eventStream: request) else {
            peerLeft?()
            return .response(Problem.notAcceptable("This is a stream: accept text/event-stream.").response)
        }
        let subscription: Subscription
        do throws(HubError) {
            subscription = try hub.subscribe(subscriptionRequest)
        } catch {
            peerLeft?()
            return .response(refusal(error, to: request))
        }
        let greeting = Frame(greeting: subscription, retryMilliseconds: retryMilliseconds)
        return .stream(
            StreamHead(
                headers: Self.headers,
                taken: { [fanOut] socket in
                    let isChunked = socket.isChunked
                    fanOut.adopt(
                        descriptor: socket.take(), isChunked: isChunked, subscription: subscription,
                        greeting: greeting, peerLeft: peerLeft)
                },
                abandoned: { [hub] in
                    hub.detach(subscription)
                    peerLeft?()
                }))
    }

    private func refusal(_ error: HubError, to request: Request) -> Response {
        switch error {
        // WHATWG HTML, section 9.2.3: 204 is what tells an EventSource to stop reconnecting.
        case .ended: .noContent
        case .draining, .tooManySubscriptions: busy(error, request)
        default: Problem(error).response
        }
    }

    /// Any 4xx or 5xx makes an EventSource give up for good, so it gets an empty stream and a time to come back at,
    /// spread so that not all come back at once. It is known by asking for text/event-stream and nothing else.
    private func busy(_ error: HubError, _ request: Request) -> Response {
        guard request.headers["Accept"]?.lowercased() == "text/event-stream" else {
            return Problem(error).response
        }
        var headers = Self.headers
        headers["Connection"] = "close"
        let milliseconds = Int.random(in: retryMilliseconds...retryMilliseconds + 4_000)
        return Response(status: 200, headers: headers, body: Array("retry: \(milliseconds)\n\n".utf8))
    }
}

/// Whether the client takes a stream: no Accept at all means anything (RFC 9110, section 12.5.1).
func accepts(eventStream request: Request) -> Bool {
    let ranges = request.headers.values(of: "Accept").flatMap { $0.split(separator: ",") }
    return ranges.isEmpty
        || ranges.contains { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let type = parts.first, !parts.dropFirst().contains(where: isZeroWeight) else { return false }
            return type == "text/event-stream" || type == "text/*" || type == "*/*"
        }
}

/// Whether the client asks for a stream by name.
func asksFor(eventStream request: Request) -> Bool {
    request.headers.values(of: "Accept").contains { $0.lowercased().contains("text/event-stream") }
}

private func isZeroWeight(_ parameter: String) -> Bool {
    parameter.hasPrefix("q=0") && parameter.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
}
