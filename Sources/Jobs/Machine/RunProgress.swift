/// How far a run has come. `current` never goes back between two starts of a run.
public struct RunProgress: Sendable, Hashable {
    public var current: Int
    public var total: Int?
    /// What is counted, such as `terms`.
    public var unit: String?
    public var message: String?

    public init(current: Int, total: Int? = nil, unit: String? = nil, message: String? = nil) {
        self.current = current
        self.total = total
        self.unit = unit
        self.message = message
    }
}
