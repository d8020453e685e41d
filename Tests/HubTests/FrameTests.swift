import Testing

@testable import Hub

@Suite struct FrameTests {
    private let short = Frame(text: "data: 1\n\n".utf8)
    private let long = Frame(text: Array("data: \(String(repeating: "é", count: 300))\n\n".utf8))

    private func text(_ frame: Frame) -> String {
        String(decoding: frame.bytes[frame.textRange], as: UTF8.self)
    }

    @Test func `the chunked range is one chunk with its size in hexadecimal`() {
        #expect(String(decoding: short.bytes, as: UTF8.self) == "9\r\ndata: 1\n\n\r\n")
        #expect(short.range(isChunked: true) == short.bytes.indices)
        #expect(String(decoding: long.bytes, as: UTF8.self).hasPrefix("260\r\n"))
    }

    @Test func `the close-delimited range is the text alone`() {
        #expect(short.range(isChunked: false) == short.textRange)
        #expect(text(short) == "data: 1\n\n")
    }

    @Test func `the last chunk ends a chunked body and is nothing on a close-delimited one`() {
        #expect(unchunked(short.bytes + Frame.lastChunk.bytes) == Array("data: 1\n\n".utf8))
        #expect(Frame.lastChunk.range(isChunked: false).isEmpty)
    }

    @Test func `a heartbeat dispatches nothing`() {
        var parser = EventStreamParser()
        #expect(parser.feed(Frame.heartbeat.bytes[Frame.heartbeat.textRange]).isEmpty)
        #expect(parser.comments == 1)
    }

    @Test func `a heartbeat between events leaves both whole`() {
        var parser = EventStreamParser()
        let bytes = [short, .heartbeat, short].flatMap { $0.bytes[$0.textRange] }
        #expect(parser.feed(bytes).map(\.data) == ["1", "1"])
    }

    @Test func `a frame of nothing would end the body and is a mistake`() async {
        await #expect(processExitsWith: .failure) { _ = Frame(text: []) }
    }
}
