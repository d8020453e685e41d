import Primitives

/// The events that tell of a stream itself. None has an id, so that a consumer's cursor stays where it is.
///
/// Where their JSON is spelled out, all that goes in is of the alphabets of ids and topic names, and needs no escaping.
enum ControlEvents {
    fileprivate static func subscribed(_ subscription: Subscription, retryMilliseconds: Int) -> Frame {
        let data = JSONWriter.object { json in
            json.member("subscription", subscription.id)
            json.array("topics", subscription.topics) { topic, json in json.value(topic.name.text) }
            json.member("policy", subscription.policy.rawValue)
        }
        return event("subscribed", data, retryMilliseconds: retryMilliseconds)
    }

    /// - Parameters:
    ///   - from: the last id that the consumer has had; nil for none.
    ///   - to: the id of the event that it gets next; nil when there is none yet.
    static func gap(_ reason: GapReason, on topic: TopicName, from: String?, to: String?) -> Frame {
        event(
            "gap",
            "{\"topic\":\"\(topic)\",\"from\":\(quoted(from)),\"to\":\(quoted(to)),"
                + "\"reason\":\"\(reason.rawValue)\"}")
    }

    static func topicEnded(_ topic: TopicName, reason: EndReason) -> Frame {
        event("topicEnded", "{\"topic\":\"\(topic)\",\"reason\":\"\(reason.rawValue)\"}")
    }

    static func end(_ reason: EndReason) -> Frame { event("end", "{\"reason\":\"\(reason.rawValue)\"}") }

    /// Tells a client to come back after a while, and no more (WHATWG HTML, section 9.2.6: `retry`).
    static func comeBack(afterMilliseconds milliseconds: Int) -> Frame {
        var text = EventText()
        text.append(retryMilliseconds: milliseconds)
        text.endEvent()
        return Frame(text: text.bytes)
    }

    private static func event(_ name: String, _ data: String) -> Frame { event(name, Array(data.utf8)) }

    private static func event(_ name: String, _ data: [UInt8], retryMilliseconds: Int? = nil) -> Frame {
        var text = EventText(reservingCapacity: data.count + 64)
        if let retryMilliseconds { text.append(retryMilliseconds: retryMilliseconds) }
        text.append(event: name)
        text.append(data: data)
        text.endEvent()
        return Frame(text: text.bytes)
    }

    private static func quoted(_ id: String?) -> String { id.map { "\"\($0)\"" } ?? "null" }
}

extension Frame {
    /// The event that begins a stream: it tells the subscription's id and what it follows.
    /// - Parameter retryMilliseconds: what the client is to wait before it reconnects.
    public static func greeting(_ subscription: Subscription, retryMilliseconds: Int) -> Frame {
        ControlEvents.subscribed(subscription, retryMilliseconds: retryMilliseconds)
    }
}
