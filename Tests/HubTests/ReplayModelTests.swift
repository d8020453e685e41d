import Hub
import TestSupport
import Testing

/// Recorded and unrecorded topics, restarts, retention, withdrawals, a history that answers late and out of order, and
/// readers that come and go, against a model that knows of each event what became of it.
@Suite struct ReplayModelTests {
    @Test(arguments: 1...150 as ClosedRange<UInt64>)
    func `one topic: nothing is lost, repeated or stale, and gaps are where something is missing`(seed: UInt64) throws {
        var world = try ReplayWorld(seed: seed, topics: ["a"])
        try world.run(steps: 250)
    }

    @Test(arguments: 1_001...1_150 as ClosedRange<UInt64>)
    func `several topics: the same`(seed: UInt64) throws {
        var world = try ReplayWorld(seed: seed, topics: ["a", "b", "ticks"])
        try world.run(steps: 250)
    }
}
