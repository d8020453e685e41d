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
