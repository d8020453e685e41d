import Hub
import Testing

@Suite struct TopicNameTests {
    @Test(arguments: ["ticks", "feeds/ads", "a.b_c-D9", "...", "start/a", String(repeating: "a", count: 128)])
    func `a name of segments is taken`(name: String) throws {
        #expect(try TopicName(name).text == name)
    }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", ".", "..", "a/../b", "a/./b", "a b", "é", "a\n", "a\0", "a?b", "a%2Fb",
        "a\"b",
        "start", "stop", "feeds/start", "feeds/stop", String(repeating: "a", count: 129),
    ])
    func `a name that a URL could not address is refused`(name: String) {
        #expect(throws: HubError.invalidTopicName(name)) { try TopicName(name) }
    }
}
