import Compression
import TestSupport
import Testing

@Suite struct MemberTests {
    private let texts: [[UInt8]]
    private let pieces: [GzipPiece]

    init() {
        let compressor = Compressor()
        var texts = (0..<40).flatMap { (seed: UInt64) in
            [json(Int(seed) * 97, seed: seed), noise(Int(seed) * 31, seed: seed)]
        }
        texts += [json(70_000, seed: 1), noise(70_000, seed: 1), []]
        self.texts = texts
        pieces = texts.map { compressor.piece(of: $0) }
    }

    @Test func `a receiver can begin at any piece`() {
        for start in pieces.indices {
            #expect(gunzip(member(of: Array(pieces[start...]))) == texts[start...].flatMap { $0 })
        }
    }

    @Test func `pieces can come in any order, be left out and be repeated`() {
        for seed in UInt64(0)..<200 {
            var random = SplitMix(seed: seed)
            let order = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                pieces.indices.randomElement(using: &random)!
            }
            #expect(gunzip(member(of: order.map { pieces[$0] })) == order.flatMap { texts[$0] }, "seed \(seed)")
        }
    }

    @Test func `each piece can be read in full before anything follows it`() {
        let reader = Gunzip()
        reader.feed(GzipMember.header)
        var expected: [UInt8] = []
        for (piece, text) in zip(pieces, texts) {
            reader.feed(piece.bytes)
            expected += text
            #expect(reader.text == expected)
            #expect(reader.status == .more)
        }
    }

    @Test func `a member without pieces is empty`() {
        #expect(gunzip(member(of: [])) == [])
    }

    @Test func `a member that is cut off anywhere is not complete`() {
        let whole = member(of: [pieces[30], pieces[31]])
        for length in 0..<whole.count { #expect(gunzip(Array(whole.prefix(length))) == nil) }
        #expect(gunzip(whole) == texts[30] + texts[31])
    }

    @Test func `the trailer tells of a piece that is missing, doubled or out of order`() {
        var state = GzipMember()
        state.append(pieces[30].checksum)
        state.append(pieces[32].checksum)
        func isAccepted(_ sent: [GzipPiece]) -> Bool {
            gunzip(GzipMember.header + sent.flatMap(\.bytes) + state.ending) != nil
        }
        #expect(isAccepted([pieces[30], pieces[32]]))
        #expect(!isAccepted([pieces[30]]))
        #expect(!isAccepted([pieces[32], pieces[30]]))
        #expect(!isAccepted([pieces[30], pieces[32], pieces[32]]))
    }

    @Test func `the length in the trailer starts anew at 4 GiB`() {
        var state = GzipMember()
        let piece = Compressor().piece(of: noise(1 << 20, seed: 1))
        for _ in 0..<4_099 { state.append(piece.checksum) }
        #expect(state.ending.suffix(4) == [0, 0, 0x30, 0])
    }
}
