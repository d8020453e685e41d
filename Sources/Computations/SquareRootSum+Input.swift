public import Jobs
public import Primitives

extension SquareRootSum {
    public var kind: String { "square-root-sum" }
    public var title: String { "Sum of square roots" }
    public var summary: String { "Adds the square roots of 1, 2, ..., terms." }

    public var inputSchema: JSONValue {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": [
                "terms": [
                    "type": "integer", "minimum": 0, "maximum": .integer(Int64(Int.max)),
                    "description": "How many square roots to add.",
                ],
                "checkEvery": [
                    "type": "integer", "minimum": 1, "maximum": .integer(Int64(Int.max)),
                    "default": .integer(Int64(Self.defaultCheckEvery)),
                    "description": "How many terms are added between two looks at the cancellation.",
                ],
            ],
            "required": ["terms"],
            "additionalProperties": false,
        ]
    }

    static let defaultCheckEvery = 4_096

    public func validate(_ input: JSONValue) throws(InputError) -> Work {
        guard case .object(let members) = input else {
            throw InputError(field: "", message: "The input must be an object with the member \"terms\".")
        }
        for member in members.keys.sorted() where member != "terms" && member != "checkEvery" {
            throw InputError(field: member, message: "There is no such member. Use \"terms\" and \"checkEvery\".")
        }
        guard let terms = members["terms"] else {
            throw InputError(field: "terms", message: "\"terms\" is missing.")
        }
        return Work(
            terms: try integer(terms, field: "terms", minimum: 0),
            checkEvery: try members["checkEvery"].map { value throws(InputError) in
                try integer(value, field: "checkEvery", minimum: 1)
            } ?? Self.defaultCheckEvery)
    }

    /// An integer as JSON Schema sees it: 4.0 is one.
    private func integer(_ value: JSONValue, field: String, minimum: Int) throws(InputError) -> Int {
        let number: Int? =
            switch value {
            case .integer(let integer): Int(exactly: integer)
            case .number(let number): Int(exactly: number)
            default: nil
            }
        guard let number, number >= minimum else {
            throw InputError(
                field: field, message: "\"\(field)\" must be an integer from \(minimum) to \(Int.max).")
        }
        return number
    }
}
