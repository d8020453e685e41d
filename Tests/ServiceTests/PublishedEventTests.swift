import HTTPServer
import Hub
import Testing

@testable import Service

/// Most events are read without the decoder; both ways must come to the same.
struct PublishedEventTests {
    private func text(_ body: String) throws -> String {
        let hub = Hub(epoch: "e")
        let topic = try hub.makeTopic(try TopicName("t"), access: .open, policy: .all)
        let subscription = try hub.subscribe(SubscriptionRequest(topics: [topic.name]))
        let request = try Request(.post, "/v1/streams/t", body: Array(body.utf8))
        hub.publish(try NewEvent(of: request), to: topic)
        let frames = hub.take(subscription.handle, maxBytes: .max).frames
        return String(decoding: frames.flatMap { $0.bytes[$0.textRange] }, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"data":{"b":1.50,"a":[1,{}]}}"#, "id: e-1\ndata: {\"b\":1.50,\"a\":[1,{}]}\n\n"),
        (#"{"data":"two words"}"#, "id: e-1\ndata: two words\n\n"),
        (#"{"data":"a\nb"}"#, "id: e-1\ndata: a\ndata: b\n\n"),
        (#"{"data":"ünï"}"#, "id: e-1\ndata: ünï\n\n"),
        (#"{"data":"\u0061"}"#, "id: e-1\ndata: a\n\n"),
        (#"{"d\u0061ta":7}"#, "id: e-1\ndata: 7\n\n"),
        (#"{"data":null}"#, "id: e-1\ndata: null\n\n"),
        (#"{"data":""}"#, "id: e-1\ndata: \n\n"),
        (#"{"id":"7","event":"built","data":1e2}"#, "id: 7\nevent: built\ndata: 1e2\n\n"),
        (#"{ "id" : null , "event" : "bu\u0069lt" , "data" : [ ] }"#, "id: e-1\nevent: built\ndata: [ ]\n\n"),
    ])
    func `an event is passed on as it was written`(body: String, expected: String) throws {
        #expect(try text(body) == expected)
    }

    @Test(arguments: [
        (#"{"event":"x"}"#, 422), (#"{"data":1,"dat":2}"#, 422), (#"{"data":1,"event":"end"}"#, 422),
        (#"{"data":1,"event":7}"#, 422), (#"{"data":1,"id":"a b"}"#, 422), (#"[1]"#, 422), (#"1"#, 422),
        (#"{"data":1,"data":2}"#, 400), (#"{"data":{"a":1,"a":2}}"#, 400),
        (#"{"data":{"a":1,"\u0061":2}}"#, 400), (#"{"data":1e999}"#, 400), (#"{"data":"\ud800"}"#, 400),
        (#"{"data":1,}"#, 400), (#"{"data":01}"#, 400),
    ])
    func `what is wrong with an event is told`(body: String, status: Int) throws {
        let problem = #expect(throws: Problem.self) { try text(body) }
        #expect(problem?.status == status)
    }

    @Test func `text that is not UTF-8 is refused`() throws {
        let body = Array(#"{"data":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        let request = try Request(.post, "/v1/streams/t", body: body)
        #expect(throws: Problem.self) { try NewEvent(of: request) }
    }

    @Test func `members of a large object are told apart`() throws {
        let members = (0..<40).map { "\"m\($0)\":\($0)" }
        #expect(try text("{\"data\":{\(members.joined(separator: ","))}}").contains("\"m39\":39"))
        #expect(throws: Problem.self) { try text("{\"data\":{\(members.joined(separator: ",")),\"m3\":0}}") }
    }
}
