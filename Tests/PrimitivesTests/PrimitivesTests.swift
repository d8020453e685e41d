import Primitives
import Testing

struct UniqueIDTests {
    @Test func `an ID survives its own text, in either case`() throws {
        let id = UniqueID.random()
        #expect(UniqueID(id.description) == id)
        #expect(UniqueID(id.description.uppercased()) == id)
        #expect(id.description == id.description.lowercased())
    }

    @Test func `text is read digit by digit, and written so`() throws {
        let id = UniqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        let path = "/v1/jobs/01234567-89AB-cdef-FEDC-ba9876543210"
        #expect(UniqueID(path.suffix(36)) == id)
    }

    @Test(arguments: [
        "6ba7b8109-dad-11d1-80b4-00c04fd430c8", "6ba7b810--9dad-11d1-80b4-0c04fd430c8",
        "------------------------------------",
        "", "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430c88",
        "{6ba7b810-9dad-11d1-80b4-00c04fd430c}", "6ba7b8109dad-11d1-80b4-00c04fd430c8-",
        "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "6ba7b810-9dad-11d1-80b4-00c04fd430c\u{e9}",
    ])
    func `text that is not a UUID is refused`(text: String) {
        #expect(UniqueID(text) == nil)
    }

    @Test func `versions and variant are as RFC 9562 lays them out`() {
        let random = Array(UniqueID.random().description)
        #expect(random[14] == "4")
        #expect("89ab".contains(random[19]))
        let ordered = Array(
            UniqueID.timeOrdered(at: Timestamp(millisecondsSinceEpoch: 0x1234_5678_9ABC)).description)
        #expect(String(ordered[0..<13]) == "12345678-9abc")
        #expect(ordered[14] == "7")
        #expect("89ab".contains(ordered[19]))
    }

    @Test func `time-ordered IDs sort by time`() {
        let early = UniqueID.timeOrdered(at: Timestamp(millisecondsSinceEpoch: 1))
        let late = UniqueID.timeOrdered(at: Timestamp(millisecondsSinceEpoch: 2))
        #expect(early < late)
    }
}

struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
        (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_796_040_569_007, "2026-11-30T12:09:29.007Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        // Beyond what RFC 3339 can say.
        (.min, "0000-01-01T00:00:00.000Z"),
        (.max, "9999-12-31T23:59:59.999Z"),
    ])
    func `a timestamp reads as RFC 3339`(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSinceEpoch: milliseconds).description == text)
    }
}
