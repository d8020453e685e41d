import HTTPServer
import Testing

@Suite struct HeadersTests {
    @Test func `names are compared without case and kept as they are`() {
        let headers: Headers = ["Content-Type": "a", "X": "1", "x": "2"]
        #expect(headers["CONTENT-type"] == "a")
        #expect(headers.values(of: "X") == ["1", "2"])
        #expect(headers["Content-Typ"] == nil)
        #expect(headers["\u{212A}"] == nil)
        #expect(headers.fields.map(\.name) == ["Content-Type", "X", "x"])
    }

    @Test func `setting replaces every value, nil removes them`() {
        var headers: Headers = ["X": "1", "Y": "2", "x": "3"]
        headers["x"] = "4"
        #expect(headers.values(of: "X") == ["4"])
        headers["X"] = nil
        #expect(headers.fields.map(\.name) == ["Y"])
        headers.append("y", "5")
        #expect(headers.values(of: "Y") == ["2", "5"])
    }
}
