import Compression
import TestSupport

/// Bytes that no compression makes shorter.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
}

/// What an event's JSON looks like, cut off after `count` bytes.
func json(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix(seed: seed)
    var text: [UInt8] = Array("event: rows\ndata: [".utf8)
    while text.count < count {
        let (id, price) = (
            UInt32.random(in: .min ... .max, using: &random), Int.random(in: 0..<100_000, using: &random)
        )
        text += Array("{\"id\":\"\(id)\",\"price\":\(price),\"currency\":\"EUR\",\"isOpen\":\(price % 2 == 0)},".utf8)
    }
    return Array(text.prefix(count))
}

extension Compressor {
    func piece(of text: [UInt8]) -> GzipPiece { piece(of: text.span) }
}

/// A whole member of these pieces.
func member(of pieces: [GzipPiece]) -> [UInt8] {
    var state = GzipMember()
    for piece in pieces { state.append(piece.checksum) }
    return GzipMember.header + pieces.flatMap(\.bytes) + state.ending
}
