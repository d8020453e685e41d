import FoundationEssentials
import HTTPServer
import Primitives

/// The JSON body of a request.
struct JSONBody {
    private let bytes: [UInt8]
    private let scan: JSONScan
    /// Nil while nobody needs it: most published events are passed on without.
    private let decoded: JSONValue?

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
        bytes = request.body
        // Spelled out: a bare `nil` would be the JSON value null.
        decoded = scan.needsDecoder ? .some(try Self.decode(bytes, scan)) : JSONValue?.none
    }

    var value: JSONValue {
        get throws(Problem) {
            if let decoded { return decoded }
            return try Self.decode(bytes, scan)
        }
    }

    private static func decode(_ bytes: [UInt8], _ scan: JSONScan) throws(Problem) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw .malformed("The JSON has text that is not Unicode, or a number beyond the range of a double.")
        }
        guard value.memberCount == scan.memberCount else {
            throw .malformed("An object in the JSON names a member twice.")
        }
        return value
    }

    /// Levels of arrays and objects that a body may have. The time of Foundation's decoder, which makes the value,
    /// grows with the square of the depth.
    static let maxDepth = 64

    /// The text of a member of the outermost object, as the client wrote it; nil when there is none, or its name is
    /// spelled with escapes.
    func text(ofMember name: String) -> ArraySlice<UInt8>? { scan.text(ofMember: name) }

    /// The names of the outermost object's members as they are spelled; empty for what is no object.
    var memberNames: [ArraySlice<UInt8>] { scan.outerMembers.map { bytes[$0.name] } }

    /// The member's value if it is a string without escapes, which needs no decoder.
    func plainString(ofMember name: String) -> ArraySlice<UInt8>? { scan.plainString(ofMember: name) }
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
