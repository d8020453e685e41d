/// The name and value pairs of a query, in order; a name may come more than once.
public struct Query: Sendable, Equatable {
    public struct Pair: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    public let pairs: [Pair]

    /// The first value of `name`. A pair without `=` has the empty value.
    public subscript(name: String) -> String? {
        pairs.first { $0.name == name }?.value
    }

    /// Every value of `name`, in order.
    public func values(of name: String) -> [String] {
        pairs.compactMap { $0.name == name ? $0.value : nil }
    }

    init(pairs: [Pair]) { self.pairs = pairs }

    /// Decodes `application/x-www-form-urlencoded` text (WHATWG URL, section 5.1), but strictly:
    /// what that algorithm would pass through or replace is an error here.
    init(decoding text: some Collection<UInt8>) throws(MalformedTarget) {
        var pairs: [Pair] = []
        for sequence in text.split(separator: UInt8(ascii: "&")) {
            let parts = sequence.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            pairs.append(
                Pair(
                    name: try percentDecoded(parts[0], plusIsSpace: true),
                    value: parts.count == 1 ? "" : try percentDecoded(parts[1], plusIsSpace: true)))
        }
        self.pairs = pairs
    }
}
