/// An event's id before it is spelled out: most ids derive from the position.
enum EventID: Sendable, Equatable {
    case position(Position)
    case own(String)

    func text(epoch: String) -> String {
        switch self {
        case .position(let position): "\(epoch)-\(position.text)"
        case .own(let id): id
        }
    }
}
