/// A path with holes: `/v1/jobs/{jobID}`, or `/v1/streams/{topic...}/start`.
///
/// `{name}` takes one non-empty segment, `{name...}` one or more, joined by `/`. There is at most one
/// of the latter.
struct RoutePattern: Sendable {
    enum Segment: Sendable, Equatable {
        case literal(String)
        case one(name: String)
        case several(name: String)

        /// Smaller matches less.
        fileprivate var breadth: Int {
            switch self {
            case .literal: 0
            case .one: 1
            case .several: 2
            }
        }
    }

    let segments: [Segment]
    private let severalIndex: Int?

    init(_ text: String) {
        precondition(text.hasPrefix("/"), "a pattern starts with /: \(text)")
        let segments: [Segment] = text.dropFirst().split(separator: "/").map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}") else { return .literal(String(part)) }
            let name = part.dropFirst().dropLast()
            return name.hasSuffix("...")
                ? .several(name: String(name.dropLast(3))) : .one(name: String(name))
        }
        let wide = segments.indices.filter { segments[$0].breadth == 2 }
        precondition(wide.count <= 1, "at most one {name...} in a pattern: \(text)")
        self.segments = segments
        severalIndex = wide.first
    }

    /// Whether a path of so many segments may match.
    func takes(segmentCount count: Int) -> Bool {
        severalIndex == nil ? count == segments.count : count >= segments.count
    }

    /// The values of the holes, or nil if the path does not match.
    func match(_ path: [String]) -> PathParameters? {
        guard takes(segmentCount: path.count) else { return nil }
        guard let severalIndex else { return match(path[...], segments[...], into: PathParameters()) }
        let tail = segments.count - severalIndex - 1
        let middle = path[severalIndex..<(path.count - tail)]
        guard case .several(let name) = segments[severalIndex], middle.allSatisfy({ !$0.isEmpty }),
            var parameters = match(path[..<severalIndex], segments[..<severalIndex], into: PathParameters())
        else { return nil }
        parameters.append(name, middle.joined(separator: "/"))
        return match(path.suffix(tail), segments.suffix(tail), into: parameters)
    }

    private func match(
        _ path: ArraySlice<String>, _ segments: ArraySlice<Segment>, into parameters: PathParameters
    ) -> PathParameters? {
        var parameters = parameters
        for (text, segment) in zip(path, segments) {
            switch segment {
            case .literal(let literal):
                guard text == literal else { return nil }
            case .one(let name), .several(let name):
                guard !text.isEmpty else { return nil }
                parameters.append(name, text)
            }
        }
        return parameters
    }

    /// Whether this pattern is to be tried before `other`: the first segment in which they differ in
    /// breadth decides, then the length.
    func isNarrower(than other: RoutePattern) -> Bool {
        for (mine, others) in zip(segments, other.segments) where mine.breadth != others.breadth {
            return mine.breadth < others.breadth
        }
        return segments.count > other.segments.count
    }
}

/// What the holes of a route's pattern matched.
public struct PathParameters: Sendable, Equatable {
    private var values: [(name: String, value: String)] = []

    /// The value of a hole of the pattern; asking for another is a programmer's mistake.
    public subscript(name: String) -> String {
        guard let value = values.first(where: { $0.name == name })?.value else {
            preconditionFailure("the route's pattern has no {\(name)}")
        }
        return value
    }

    mutating func append(_ name: String, _ value: String) {
        values.append((name, value))
    }

    public static func == (left: PathParameters, right: PathParameters) -> Bool {
        left.values.elementsEqual(right.values, by: ==)
    }
}
