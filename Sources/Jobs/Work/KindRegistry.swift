public import Primitives

/// The computations on offer, by the names of their kinds.
public struct KindRegistry: Sendable {
    /// What is said about a kind to those who ask.
    public struct Entry: Sendable, Hashable {
        public let kind: String
        public let title: String
        public let summary: String
        public let inputSchema: JSONValue
        /// See ``Computation/restartsAfterInterruption``.
        public let restartsAfterInterruption: Bool
    }

    /// An input that was found valid, ready to run.
    typealias PreparedWork = @Sendable (RunContext) async throws -> JSONValue

    private struct Offer: Sendable {
        let entry: Entry
        let prepare: @Sendable (JSONValue) -> Result<PreparedWork, InputError>
    }

    private var offers: [String: Offer] = [:]

    /// Of two computations with the same kind the later one counts.
    public init(_ computations: [any Computation]) {
        for computation in computations { register(computation) }
    }

    /// Sorted by kind.
    public var entries: [Entry] { offers.values.map(\.entry).sorted { $0.kind < $1.kind } }

    /// Names of kinds: see ``Computation/restartsAfterInterruption``.
    var restartingKinds: Set<String> {
        Set(offers.values.map(\.entry).filter(\.restartsAfterInterruption).map(\.kind))
    }

    private mutating func register(_ computation: some Computation) {
        let entry = Entry(
            kind: computation.kind, title: computation.title, summary: computation.summary,
            inputSchema: computation.inputSchema,
            restartsAfterInterruption: computation.restartsAfterInterruption)
        offers[entry.kind] = Offer(entry: entry) { input in
            do throws(InputError) {
                let work = try computation.validate(input)
                return .success { context in try await computation.run(work, context) }
            } catch {
                return .failure(error)
            }
        }
    }

    func prepare(kind: String, _ input: JSONValue) throws(JobError) -> PreparedWork {
        guard let offer = offers[kind] else {
            throw JobError(.unknownKind, "There is no kind \"\(kind)\". Ask which kinds are on offer.")
        }
        switch offer.prepare(input) {
        case .success(let work): return work
        case .failure(let error): throw JobError(.invalidInput, error.message, field: error.field)
        }
    }
}
