import Compression
import TestSupport
import Testing

@Suite struct PieceTests {
    private let compressor = Compressor()

    @Test func `text of every length comes out as it went in`() {
        for length in 0...3_000 {
            for text in [json(length, seed: UInt64(length)), noise(length, seed: UInt64(length))] {
                let piece = compressor.piece(of: text)
                #expect(gunzip(member(of: [piece])) == text, "\(length) bytes")
                #expect(piece.bytes.count <= length + 5, "\(length) bytes")
            }
        }
    }

    @Test(arguments: [
        0xFFFE, 0xFFFF, 0x1_0000, 0x1_0001, 0x1_FFFE, 0x1_FFFF, Compressor.maxDeflatedBytes,
        Compressor.maxDeflatedBytes + 1,
    ])
    func `long text comes out as it went in, with five bytes more per 64 KiB at the worst`(_ length: Int) {
        for text in [json(length, seed: 1), noise(length, seed: 1)] {
            let piece = compressor.piece(of: text)
            #expect(gunzip(member(of: [piece])) == text)
            #expect(piece.bytes.count <= length + 5 * (length / 0xFFFF + 1))
        }
    }

    @Test func `JSON of 2 kB takes less than half`() {
        #expect(compressor.piece(of: json(2_000, seed: 1)).bytes.count < 1_000)
    }

    @Test func `what can't be compressed takes five bytes more`() {
        for length in [0, 1, 100, 2_000, 0xFFFF] {
            #expect(compressor.piece(of: noise(length, seed: 2)).bytes.count == length + 5)
        }
    }

    @Test func `short and very long text is stored, text between them is deflated`() {
        func isStored(_ length: Int) -> Bool {
            compressor.piece(of: [UInt8](repeating: 0x20, count: length)).bytes.count > length
        }
        #expect(isStored(Compressor.minDeflatedBytes - 1))
        #expect(!isStored(Compressor.minDeflatedBytes))
        #expect(!isStored(Compressor.maxDeflatedBytes))
        #expect(isStored(Compressor.maxDeflatedBytes + 1))
    }

    @Test func `a piece is the same whatever was compressed before`() {
        let text = json(2_000, seed: 3)
        let first = compressor.piece(of: text)
        // The same text again would be a short reference back if anything were left of it.
        for other in [text, noise(5_000, seed: 3), json(70_000, seed: 4), []] {
            _ = compressor.piece(of: other)
            #expect(compressor.piece(of: text).bytes == first.bytes)
        }
        #expect(Compressor().piece(of: text).bytes == first.bytes)
    }
}
