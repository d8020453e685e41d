import HTTPServer
import Hub
import Primitives
import Storage

/// Topics, streams and subscriptions.
struct StreamRoutes: Sendable {
    let hub: Hub
    let streaming: Streaming
    let sources: [TopicName: any ControllableSource]
    let publisher: Publisher

    func add(to router: inout Router) {
        router.on(.get, "/v1/streams") { request, _ in now { () throws(Problem) in try list(request) } }
        router.on(.get, "/v1/streams/{topic...}") { request, path in
            reply { () throws(Problem) in try open([path["topic"]], request) }
        }
        router.on(.get, "/v1/events") { request, _ in
            reply { () throws(Problem) in try open(request.query.values(of: "topic"), request) }
        }
        router.on(.post, "/v1/streams/{topic...}") { request, path in publish(request, to: path["topic"]) }
        router.on(.post, "/v1/streams/{topic...}/start") { _, path in control(path["topic"], starts: true) }
        router.on(.post, "/v1/streams/{topic...}/stop") { _, path in control(path["topic"], starts: false) }
        router.on(.get, "/v1/subscriptions") { request, _ in
            now { () throws(Problem) in try subscriptions(request) }
        }
        router.on(.delete, "/v1/subscriptions/{id}") { _, path in
            now { () throws(Problem) in
                guard hub.cancel(id: try path.id("id")) else {
                    throw .notFound("There is no subscription with this ID (any more).")
                }
                return .noContent
            }
        }
    }

    // MARK: Reading

    private func open(_ names: [String], _ request: Request) throws(Problem) -> Reply {
        guard !names.isEmpty else {
            throw .malformed("Name at least one topic: /v1/events?topic=ticks", field: "topic")
        }
        let topics = try names.map { name throws(Problem) in try TopicName(sent: name) }
        return streaming.reply(
            to: request, with: try SubscriptionRequest(of: request, topics: topics))
    }

    /// The topics; those of jobs and runs only if they are asked for by `prefix`.
    private func list(_ request: Request) throws(Problem) -> Response {
        let prefix = request.query["prefix"] ?? ""
        let limit = try request.query.integer("limit", in: 1...10_000, standard: 1_000)
        let wantsJobs = prefix.hasPrefix(JobTopicName.prefix)
        let topics = hub.topics { name in
            name.text.hasPrefix(prefix) && (wantsJobs || !name.text.hasPrefix(JobTopicName.prefix))
        }
        return .json([
            "streams": .array(topics.prefix(limit).map(description)), "total": .integer(Int64(topics.count)),
        ])
    }

    private func description(_ info: TopicInfo) -> JSONValue {
        .object([
            "topic": .string(info.topic.name.text),
            "policy": .string(info.policy.rawValue),
            "subscribers": .integer(Int64(info.subscribers)),
            "published": .integer(Int64(clamping: info.published)),
            "retained": .integer(Int64(info.retained)),
            "lastEventID": info.lastEventID.map(JSONValue.string),
            "ratePerSecond": .number((info.rate * 100).rounded() / 100),
            "state": .string(info.isClosed ? "ended" : info.isStopped ? "stopped" : "open"),
            "publishable": .bool(info.access == .open),
            "links": ["events": .string("/v1/streams/" + info.topic.name.text)],
        ])
    }

    private func subscriptions(_ request: Request) throws(Problem) -> Response {
        let limit = try request.query.integer("limit", in: 1...10_000, standard: 1_000)
        let all = hub.subscriptions()
        return .json([
            "subscriptions": .array(
                all.prefix(limit).map { info in
                    [
                        "id": .id(info.id),
                        "topics": .array(info.topics.map { .string($0.text) }),
                        "since": .time(info.since),
                        "delivered": .integer(Int64(clamping: info.delivered)),
                        "conflated": .integer(Int64(clamping: info.conflated)),
                        "lag": .integer(Int64(clamping: info.lag)),
                    ]
                }), "total": .integer(Int64(all.count)),
        ])
    }

    // MARK: Publishing

    private func publish(_ request: Request, to name: String) -> Reply {
        // Reading a large body takes a while; the server's thread is for short answers.
        let isLarge = request.body.count > Self.maxBytesReadAtOnce
        if let journal = publisher.journal {
            return .byCall { answer in
                if isLarge {
                    Task { record(request, to: name, in: journal, answer) }
                } else {
                    record(request, to: name, in: journal, answer)
                }
            }
        }
        return isLarge
            ? later { () throws(Problem) in .response(try published(request, to: name)) }
            : now { () throws(Problem) in try published(request, to: name) }
    }

    private func record(
        _ request: Request, to name: String, in journal: Journal,
        _ answer: @escaping @Sendable (FinalReply) -> Void
    ) {
        do throws(Problem) {
            let (name, event) = try read(request, to: name)
            publisher.record(event, to: name, in: journal) { result in
                answer(.response(result.map { self.answer($0, name) }.answer))
            }
        } catch {
            answer(.response(error.response))
        }
    }

    private func published(_ request: Request, to name: String) throws(Problem) -> Response {
        let (name, event) = try read(request, to: name)
        return answer(try publisher.publish(event, to: name), name)
    }

    private static let maxBytesReadAtOnce = 4_096

    private func read(_ request: Request, to name: String) throws(Problem) -> (TopicName, NewEvent) {
        let name = try TopicName(sent: name)
        guard !Self.reservedPrefixes.contains(where: { name.text.hasPrefix($0) }) else {
            throw .forbidden(
                "Topics under \(Self.reservedPrefixes.joined(separator: " and ")) have sources of their own.")
        }
        return (name, try NewEvent(of: request))
    }

    private func answer(_ published: Publisher.Published, _ name: TopicName) -> Response {
        .json(
            [
                "id": .string(published.receipt.id), "matched": .integer(Int64(published.receipt.matched)),
                "topic": .string(name.text),
            ],
            status: published.isNew ? 201 : 200)
    }

    /// Names that only the server makes.
    private static let reservedPrefixes = [JobTopicName.prefix, "feeds/"]

    // MARK: Sources

    private func control(_ name: String, starts: Bool) -> Reply {
        later { () throws(Problem) in
            let name = try TopicName(sent: name)
            guard let source = sources[name] else {
                guard hub.topic(named: name) != nil else { throw Problem(HubError.unknownTopic(name.text)) }
                throw .conflict("The topic \"\(name)\" has no source that can be started or stopped.")
            }
            let changed = starts ? await source.start() : await source.stop()
            return .response(
                .json([
                    "topic": .string(name.text), "state": .string(starts ? "open" : "stopped"),
                    "changed": .bool(changed),
                ]))
        }
    }
}
