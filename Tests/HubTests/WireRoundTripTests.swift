import TestSupport
import Primitives
import Testing

@testable import Hub

/// What is published is what a client's parser reads, whatever it is and however the bytes are cut.
@Suite struct WireRoundTripTests {
    private struct Sent {
        let event: NewEvent
        let name: String
        /// With every line end as LF, which is how a parser joins lines.
        let data: String
        let id: String?
    }

    private static let pieces = [
        "a", "é", "漢", "🏃", "\u{301}", "\u{200D}", "\n", "\r", "\r\n", ":", " ", "data: x", "id: 7", "\t",
        "\u{85}",
        "\u{2028}", "\u{FEFF}", "\"", "\\", "\0", "{", "event: end",
    ]

    private func randomText(_ random: inout SplitMix) -> String {
        (0..<Int.random(in: 0...12, using: &random)).reduce(into: "") { text, _ in
            text += Self.pieces.randomElement(using: &random)!
        }
    }

    private func normalized(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var followsCR = false
        for scalar in text.unicodeScalars {
            if scalar == "\r" || (scalar == "\n" && !followsCR) { scalars.append("\n") }
            if scalar != "\r" && scalar != "\n" { scalars.append(scalar) }
            followsCR = scalar == "\r"
        }
        return String(scalars)
    }

    private func randomEvent(_ random: inout SplitMix) throws -> Sent {
        let (data, name) = (
            randomText(&random), ["message", "n", "é: ", " x", "\u{301}"].randomElement(using: &random)!
        )
        let id = random.chance(oneIn: 3) ? "own.\(Int.random(in: 0...99, using: &random))" : nil
        return Sent(
            event: try NewEvent(
                name: name == "message" ? nil : name, data: data.utf8, isJSON: false, id: id),
            name: name, data: normalized(data), id: id)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a client reads back what was published`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        let sent = try (0..<20).map { _ in try randomEvent(&random) }
        for sent in sent { hub.publish(sent.event, to: topic) }

        let frames = hub.take(follower.subscription.handle, maxBytes: .max).frames
        let body = try #require(unchunked(frames.flatMap(\.bytes) + Frame.lastChunk.bytes))
        #expect(body == frames.flatMap { $0.bytes[$0.range(isChunked: false)] })
        var parser = EventStreamParser()
        var received: [ReceivedEvent] = []
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...9, using: &random))
            received += parser.feed(piece)
            rest = rest.dropFirst(piece.count)
        }
        expect(received, are: sent, withIDs: { $0.id ?? "e-\($1 + 1)" })
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a consumer in this process reads back what was published`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let hub = Hub.forTests()
        let topic = try hub.topic("a")
        let follower = try Follower(hub, "a")
        let sent = try (0..<20).map { _ in try randomEvent(&random) }
        for sent in sent { hub.publish(sent.event, to: topic) }
        let events = hub.take(follower.subscription.handle, maxBytes: .max).frames.flatMap(StreamEvent.events(in:))
        expect(
            events.map { ReceivedEvent(id: $0.id ?? "", name: $0.name, data: $0.data) }, are: sent,
            withIDs: { $0.id ?? "e-\($1 + 1)" })
    }

    private func expect(
        _ received: [ReceivedEvent], are sent: [Sent], withIDs id: (Sent, Int) -> String
    ) {
        // Compared scalar by scalar: `String` takes canonically equivalent texts for equal.
        #expect(received.map { Array($0.data.utf8) } == sent.map { Array($0.data.utf8) })
        #expect(received.map { Array($0.name.utf8) } == sent.map { Array($0.name.utf8) })
        #expect(received.map(\.id) == sent.enumerated().map { id($1, $0) })
    }
}
