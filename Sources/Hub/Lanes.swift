/// The lanes of a subscription, at least one. The first is stored in place: a subscription to one topic, the usual
/// case, allocates nothing for it and costs an event no further cache line.
struct Lanes {
    private var first: Lane
    private var others: ContiguousArray<Lane>

    init(_ lanes: some Collection<Lane>) {
        first = lanes.first!
        others = ContiguousArray(lanes.dropFirst())
    }

    /// The policy of the only lane; nil when there are several.
    var onlyPolicy: DeliveryPolicy? { others.isEmpty ? first.policy : nil }

    /// Works on a lane in place: reading through the subscript copies it.
    mutating func with<Result>(_ position: Int, _ body: (inout Lane) -> Result) -> Result {
        position == 0 ? body(&first) : body(&others[position - 1])
    }
}

extension Lanes: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { 1 + others.count }

    subscript(position: Int) -> Lane {
        _read { if position == 0 { yield first } else { yield others[position - 1] } }
        _modify { if position == 0 { yield &first } else { yield &others[position - 1] } }
    }
}
