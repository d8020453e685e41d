import SQLite
import Testing

struct StatementTests {
    @Test func `values come back as they were bound, null and empty ones too`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let select = try connection.prepare("SELECT ?, ?, ?, ?, ?, ?")
        try select.bind(Int64.min)
        try select.bind("é\u{0}x")
        try select.bind([0, 255, 1])
        try select.bind([UInt8]())
        try select.bind("")
        try select.bindNull()
        #expect(try select.step())
        #expect(select.integer(0) == .min)
        #expect(select.text(1) == "é\u{0}x")
        #expect(select.bytes(2) == [0, 255, 1])
        #expect(select.optionalBytes(3) == [])
        #expect(select.optionalText(4) == "")
        #expect(select.isNull(5) && select.optionalInteger(5) == nil && select.optionalText(5) == nil)
        #expect(try !select.step())
    }
}
