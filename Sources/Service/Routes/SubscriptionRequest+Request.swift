import HTTPServer
import Hub

extension SubscriptionRequest {
    /// What the fields and the query of a request say about its subscription.
    init(of request: Request, topics: [TopicName]) throws(Problem) {
        let header = try eventID(request.headers["Last-Event-ID"], field: "Last-Event-ID")
        let parameter = try eventID(request.query["lastEventId"], field: "lastEventId")
        self.init(
            topics: topics, policy: try request.query.choice("policy"),
            // The header is the more recent of the two: an EventSource sends it when it reconnects to the same URL.
            lastEventID: header ?? parameter,
            limit: request.query["limit"] == nil
                ? nil : try request.query.integer("limit", in: 1...Int.max, standard: 1))
    }
}

/// Nil for a missing or empty id: the consumer has had no event.
private func eventID(_ text: String?, field: String) throws(Problem) -> String? {
    guard let text, !text.isEmpty else { return nil }
    guard NewEvent.isValid(id: text) else {
        throw .malformed("An event's id has 1 to \(NewEvent.maxNameBytes) bytes of [A-Za-z0-9._-].", field: field)
    }
    return text
}
