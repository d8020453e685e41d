import Primitives
import Testing

struct FingerprintTests {
    /// The draft's own value for no bytes is the offset basis; those for texts were computed with another program.
    @Test(arguments: [
        ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
        ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
    ])
    func `it is FNV-1a of 128 bits`(text: String, digits: String) {
        #expect(Fingerprint(of: Array(text.utf8)).description == digits)
    }

    @Test func `other bytes have another fingerprint`() {
        #expect(Fingerprint(of: [1, 2]) != Fingerprint(of: [2, 1]))
        #expect(Fingerprint(of: [1, 2]) == Fingerprint(of: [1, 2]))
    }
}
