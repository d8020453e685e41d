/// What a request says about content codings (Accept-Encoding: RFC 9110, section 12.5.3).
///
/// An element that is not of the grammar says nothing; of a coding that is named more than once, the lowest weight
/// counts. So a field that can't be understood never gets a client what it may not be able to read.
public struct AcceptEncoding: Sendable {
    /// By the coding in lower case, in thousandths.
    private var weights: [String: Int] = [:]

    public init(of request: Request) {
        for element in request.headers.values(of: "Accept-Encoding").flatMap({ $0.split(separator: ",") }) {
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            guard parts.count <= 2, isToken(String(parts[0])),
                let weight = parts.count == 1 ? 1_000 : thousandths(ofWeight: parts[1])
            else { continue }
            // RFC 9110, section 8.4.1.3: the same by an older name.
            let coding = parts[0].lowercased() == "x-gzip" ? "gzip" : parts[0].lowercased()
            weights[coding] = min(weight, weights[coding] ?? weight)
        }
    }

    /// Whether the client accepts this coding, in lower case, and likes it no less than none.
    ///
    /// A client that sends no Accept-Encoding would accept any, but says nothing that shows that it can read this one.
    public func prefers(_ coding: String) -> Bool {
        guard let weight = weights[coding] ?? weights["*"], weight > 0 else { return false }
        return weight >= weights["identity"] ?? weights["*"] ?? 0
    }
}

/// Without the white space around it (OWS: RFC 9110, section 5.6.3).
private func trimmed(_ text: Substring) -> Substring {
    func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
    let rest = text.drop(while: isSpace)
    return rest.lastIndex { !isSpace($0) }.map { rest[...$0] } ?? ""
}

/// `q=` and a number from 0 to 1 with at most three decimals (RFC 9110, section 12.4.2); nil for anything else.
private func thousandths(ofWeight text: Substring) -> Int? {
    guard text.hasPrefix("q=") || text.hasPrefix("Q=") else { return nil }
    let number = text.utf8.dropFirst(2)
    guard let whole = number.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1") else { return nil }
    var decimals = number.dropFirst()
    guard decimals.popFirst() ?? UInt8(ascii: ".") == UInt8(ascii: "."), decimals.count <= 3 else { return nil }
    var value = Int(whole - UInt8(ascii: "0")) * 1_000
    var place = 100
    for digit in decimals {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        value += Int(digit - UInt8(ascii: "0")) * place
        place /= 10
    }
    return value <= 1_000 ? value : nil
}
