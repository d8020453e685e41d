import HTTPServer
import Primitives

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
