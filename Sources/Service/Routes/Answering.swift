import HTTPServer
import Hub
import Primitives

/// Answers at once; a problem that is thrown is the answer.
func now(_ respond: () throws(Problem) -> Response) -> Reply {
    do throws(Problem) {
        return .now(try respond())
    } catch {
        return .now(error.response)
    }
}

/// Answers from a task; a problem that is thrown is the answer.
func later(_ respond: @escaping @Sendable () async throws(Problem) -> FinalReply) -> Reply {
    .later {
        do throws(Problem) {
            return try await respond()
        } catch {
            return .response(error.response)
        }
    }
}

/// Answers as `respond` says; a problem that is thrown is the answer.
func reply(_ respond: () throws(Problem) -> Reply) -> Reply {
    do throws(Problem) {
        return try respond()
    } catch {
        return .now(error.response)
    }
}

extension TopicName {
    /// A name as a client sent it.
    init(sent text: String) throws(Problem) {
        do throws(HubError) {
            try self.init(text)
        } catch {
            throw Problem(error)
        }
    }
}

extension PathParameters {
    /// A UUID of the path; any other text addresses nothing.
    func id(_ name: String) throws(Problem) -> UniqueID {
        guard let id = UniqueID(self[name]) else {
            throw .notFound("\"\(self[name])\" is not a UUID.")
        }
        return id
    }
}

extension Query {
    /// A whole number within a range; `standard` when it is missing.
    func integer(_ name: String, in range: ClosedRange<Int>, standard: Int) throws(Problem) -> Int {
        guard let text = self[name] else { return standard }
        guard let value = Int(text), range.contains(value) else {
            throw .malformed(
                "It must be a whole number from \(range.lowerBound) to \(range.upperBound).", field: name)
        }
        return value
    }

    /// `true`, also for a name without a value, or `false`; false when it is missing.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true", "": return true
        default: throw .malformed("It must be true or false.", field: name)
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(Problem) -> Choice? {
        guard let text = self[name] else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        throw .malformed(
            "It must be one of: \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).", field: name)
    }
}

extension Result<Response, Problem> {
    /// The response, or the problem as one.
    var answer: Response {
        switch self {
        case .success(let response): response
        case .failure(let problem): problem.response
        }
    }
}
