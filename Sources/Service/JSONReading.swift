import FoundationEssentials
import HTTPServer
import Primitives

/// The JSON body of a request.
struct JSONBody {
    let value: JSONValue
    private let scan: JSONScan

    /// - Throws: 400 for what is not JSON: RFC 8259 to the letter, no member named twice, nothing but Unicode, and
    ///   ``maxDepth`` kept.
    init(of request: Request) throws(Problem) {
        guard !request.body.isEmpty else { throw .malformed("A JSON body is needed.") }
        do throws(JSONScanError) {
            scan = try JSONScan(request.body, maxDepth: Self.maxDepth)
        } catch {
            switch error {
            case .malformed(let offset): throw .malformed("The body is not valid JSON: see byte \(offset).")
            case .tooDeep: throw .malformed("The JSON is nested more than \(Self.maxDepth) levels deep.")
            }
        }
        do {
            value = try JSONDecoder().decode(JSONValue.self, from: Data(request.body))
        } catch {
            throw .malformed("The JSON has text that is not Unicode, or a number beyond the range of a double.")
        }
        guard value.memberCount == scan.memberCount else {
            throw .malformed("An object in the JSON names a member twice.")
        }
    }

    /// Levels of arrays and objects that a body may have. The time of Foundation's decoder, which makes the value,
    /// grows with the square of the depth.
    static let maxDepth = 64

    /// The text of a member of the outermost object, as the client wrote it; nil when there is none, or its name is
    /// spelled with escapes.
    func text(ofMember name: String) -> ArraySlice<UInt8>? { scan.text(ofMember: name) }
}

extension JSONValue {
    /// Members of all objects in the value.
    fileprivate var memberCount: Int {
        switch self {
        case .array(let elements): elements.reduce(0) { $0 + $1.memberCount }
        case .object(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
        default: 0
        }
    }
}

/// The members of a JSON object, taken one by one and checked; what is left over at the end is an error, so that
/// a misspelt member is not silently ignored.
struct Members {
    private var members: [String: JSONValue]

    /// - Throws: 422 when the value is no object.
    init(of value: JSONValue) throws(Problem) {
        guard case .object(let members) = value else {
            throw .invalid("The body must be a JSON object.", field: "")
        }
        self.members = members
    }

    /// Nil when it is missing or null.
    mutating func take(_ name: String) -> JSONValue? {
        guard let value = members.removeValue(forKey: name), value != .null else { return nil }
        return value
    }

    /// Nil when it is missing; null is a value.
    mutating func takeAny(_ name: String) -> JSONValue? { members.removeValue(forKey: name) }

    mutating func takeString(_ name: String) throws(Problem) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else { throw .invalid("It must be a string.", field: name) }
        return text
    }

    mutating func takeBool(_ name: String) throws(Problem) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else { throw .invalid("It must be true or false.", field: name) }
        return flag
    }

    /// A positive number of seconds.
    mutating func takeSeconds(_ name: String) throws(Problem) -> Duration? {
        guard let value = take(name) else { return nil }
        let seconds: Double
        switch value {
        case .integer(let whole): seconds = Double(whole)
        case .number(let number): seconds = number
        default: throw .invalid("It must be a number of seconds.", field: name)
        }
        // A Duration holds about 1.7e11 seconds' worth of nanoseconds without overflow.
        guard seconds > 0, seconds < 1e9 else {
            throw .invalid("It must be a number of seconds greater than 0.", field: name)
        }
        return .seconds(seconds)
    }

    mutating func takeID(_ name: String) throws(Problem) -> UniqueID? {
        guard let text = try takeString(name) else { return nil }
        guard let id = UniqueID(text) else { throw .invalid("It must be a UUID.", field: name) }
        return id
    }

    mutating func takeChoice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(Problem) -> Choice? {
        guard let text = try takeString(name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalid("It must be one of: \(choices).", field: name)
    }

    /// - Throws: 422 when a member was not taken.
    func finish() throws(Problem) {
        if let name = members.keys.min() {
            throw .invalid("There is no member of this name here.", field: name)
        }
    }
}
