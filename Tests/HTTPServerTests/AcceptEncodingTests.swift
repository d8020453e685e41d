import HTTPServer
import TestSupport
import Testing

@Suite struct AcceptEncodingTests {
    private func prefersGzip(_ fields: String...) throws -> Bool {
        var headers = Headers()
        for field in fields { headers.append("Accept-Encoding", field) }
        return AcceptEncoding(of: try Request(.get, "/", headers: headers)).prefers("gzip")
    }

    @Test(arguments: [
        "gzip", "GZip", "x-gzip", " gzip ", "gzip;q=1", "gzip;q=1.000", "gzip ; q=0.001", "gzip;Q=0.5", "gzip;q=1.",
        "deflate, gzip", "deflate,gzip;q=1.0,*;q=0.5", "br;q=1, gzip;q=0.2", ",,gzip,", "\tdeflate\t,\tgzip\t",
        "gzip, deflate, br, zstd", "gzip;q=0.5, identity;q=0.5", "gzip;q=0.1, identity;q=0", "*", "*;q=0.1",
        "identity;q=0, *", "deflate;q=0, *;q=0.5", "gzip;q=1, *;q=0",
    ])
    func `gzip may be sent`(field: String) throws {
        #expect(try prefersGzip(field))
    }

    @Test(arguments: [
        "", "identity", "deflate", "br, zstd", "gzip;q=0", "gzip;q=0.0", "gzip;q=0.", "gzip;q=0.000", "gzip;q=0,5",
        "gzip;q=0, *", "*;q=0",
        "x-gzip;q=0", "gzip, gzip;q=0", "gzip;q=0, x-gzip", "gzip;q=0.5, identity", "gzip;q=0.5, *;q=0.6",
        "identity;q=0.2, gzip;q=0.1", "gzipped", "gzi", "gzip/1", "\"gzip\"",
    ])
    func `gzip must not be sent`(field: String) throws {
        #expect(try !prefersGzip(field))
    }

    @Test(arguments: [
        "gzip;", "gzip;q", "gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.1234", "gzip;q=.5", "gzip;q=-1",
        "gzip;q=+1",
        "gzip;q=1e0", "gzip;q= 1", "gzip;q =1", "gzip;level=1", "gzip;q=1;q=1", "gzip q=1", "gzip deflate",
        "gzip;q=١", "ｇｚｉｐ", "gzip\u{301}", "g\u{0}zip", "gzip;;q=1", ";gzip", "=gzip", "gzip;q=1.0.0",
    ])
    func `what is not of the grammar says nothing`(field: String) throws {
        #expect(try !prefersGzip(field))
        #expect(try prefersGzip(field, "gzip"))
    }

    @Test func `several fields are one list`() throws {
        #expect(try prefersGzip("deflate", "gzip"))
        #expect(try !prefersGzip("gzip", "gzip;q=0"))
        #expect(try !prefersGzip("gzip;q=0.5", "identity"))
    }

    @Test func `a request without the field gets no coding`() throws {
        #expect(try !prefersGzip())
    }

    @Test func `no field can do harm, nor get gzip without naming it or anything`() throws {
        let alphabet = Array("gzip;q=01.5,* \t-x\u{301}é\"")
        for seed in UInt64(0)..<20_000 {
            var random = SplitMix(seed: seed)
            let length = Int.random(in: 0...24, using: &random)
            let field = String((0..<length).map { _ in alphabet.randomElement(using: &random)! })
            if try prefersGzip(field) { #expect(field.contains("gzip") || field.contains("*"), "\(field)") }
        }
    }
}
