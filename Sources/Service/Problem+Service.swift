import HTTPServer
import Hub
import Jobs
import Primitives
import Storage

extension Problem {
    /// 400: the request can't be understood.
    static func malformed(_ detail: String, field: String? = nil) -> Problem {
        Problem(
            400, type: "/problems/malformed-request", title: "Malformed request", detail: detail,
            members: members(field))
    }

    /// 422: understood, but the values are wrong.
    static func invalid(_ detail: String, field: String) -> Problem {
        Problem(
            422, type: "/problems/invalid-value", title: "Invalid value", detail: detail,
            members: members(field))
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(404, type: "/problems/not-found", title: "Not found", detail: detail)
    }

    static func gone(_ detail: String) -> Problem {
        Problem(410, type: "/problems/gone", title: "Gone", detail: detail)
    }

    static func conflict(_ detail: String, members: KeyValuePairs<String, JSONValue> = [:]) -> Problem {
        Problem(409, type: "/problems/conflict", title: "Conflict", detail: detail, members: members)
    }

    static func forbidden(_ detail: String) -> Problem {
        Problem(403, type: "/problems/forbidden", title: "Forbidden", detail: detail)
    }

    static func notAcceptable(_ detail: String) -> Problem {
        Problem(406, type: "/problems/not-acceptable", title: "Not acceptable", detail: detail)
    }

    static func unsupportedMediaType() -> Problem {
        Problem(
            415, type: "/problems/unsupported-media-type", title: "Unsupported media type",
            detail: "Send the body with Content-Type: application/json.", headers: ["Accept": "application/json"])
    }

    /// 429: a bound of this server, not a fault of the request.
    static func tooMany(_ detail: String) -> Problem {
        Problem(429, type: "/problems/too-many", title: "Too many", detail: detail)
    }

    static func unavailable(_ detail: String, retryAfter: Duration = .seconds(5)) -> Problem {
        let seconds = max(1, Int((retryAfter / .seconds(1)).rounded(.up)))
        return Problem(
            503, type: "/problems/unavailable", title: "Unavailable", detail: detail,
            headers: ["Retry-After": String(seconds)])
    }

    /// 507: there is no room to record what was asked for (RFC 4918, section 11.5).
    static func insufficientStorage(_ detail: String) -> Problem {
        Problem(
            507, type: "/problems/insufficient-storage", title: "Insufficient storage", detail: detail,
            headers: ["Retry-After": "5"])
    }

    private static func members(_ field: String?) -> KeyValuePairs<String, JSONValue> {
        field.map { ["field": .string($0)] } ?? [:]
    }
}

extension Problem {
    init(_ error: HubError) {
        switch error {
        case .invalidTopicName:
            self = .invalid(
                "A topic's name is made of segments of letters, digits, '.', '_' and '-', joined by '/', "
                    + "\(TopicName.maxBytes) bytes at most; the last segment can't be 'start' or 'stop'.",
                field: "topic")
        case .invalidEventName:
            self = .invalid(
                "An event's name has 1 to \(NewEvent.maxNameBytes) bytes without CR, LF or NUL.", field: "event")
        case .invalidEventID:
            self = .invalid(
                "An event's id has 1 to \(NewEvent.maxNameBytes) bytes of [A-Za-z0-9._-].", field: "id")
        case .unknownTopic(let name):
            self = .notFound(
                "There is no topic \"\(name)\". GET /v1/streams lists the topics; the first event published makes one.")
        case .topicExists(let name): self = .conflict("The topic \"\(name)\" exists.")
        case .tooManyTopics(let limit):
            self = .tooMany("There are \(limit) topics, as many as this server keeps. Publish to one of them.")
        case .tooManySubscriptions(let limit):
            self = .unavailable("There are \(limit) subscriptions, as many as this server takes. Try again later.")
        case .tooManyTopicsInSubscription(let limit):
            self = .invalid("A subscription can name \(limit) topics at most.", field: "topic")
        case .ended: self = .gone("The stream has ended for good.")
        case .draining: self = .unavailable("The server is stopping. Try again in a moment.", retryAfter: .seconds(1))
        }
    }

    /// Why nothing was recorded; what the layer below said is for the log.
    init(_ error: StoreError) {
        let nothing = "Nothing was done. \(error.message)"
        switch error.code {
        case .full: self = .insufficientStorage(nothing)
        case .closed: self = .unavailable("The server is stopping. Try again in a moment.", retryAfter: .seconds(1))
        case .tooManyPending:
            self = .unavailable(
                "Nothing was done: more waits to be recorded than this server takes.", retryAfter: .seconds(1))
        default: self = .unavailable(nothing)
        }
    }

    init(_ error: JobError) {
        let currentRun: KeyValuePairs<String, JSONValue> =
            error.currentRunID.map { ["currentRunID": .string($0.description)] } ?? [:]
        switch error.code {
        case .unknownKind: self = .invalid(error.message, field: "kind")
        case .invalidInput:
            let member = error.field.flatMap { $0.isEmpty ? nil : "input.\($0)" } ?? "input"
            self = .invalid(error.message, field: member)
        case .invalidTimeout: self = .invalid(error.message, field: "timeoutSeconds")
        case .invalidIdempotencyKey: self = .malformed(error.message, field: "Idempotency-Key")
        case .unknownJob, .unknownRun: self = .notFound(error.message)
        case .gone: self = .gone(error.message)
        case .differentJob, .conflict, .notCurrent: self = .conflict(error.message, members: currentRun)
        case .keyReused:
            self = Problem(
                422, type: "/problems/idempotency-key-reused", title: "Idempotency key reused",
                detail: error.message)
        case .storeUnavailable where error.underlying?.isFull == true: self = .insufficientStorage(error.message)
        case .queueFull, .tooManyJobs, .storeUnavailable, .shuttingDown:
            self = .unavailable(error.message, retryAfter: error.retryAfter ?? .seconds(5))
        }
    }
}
