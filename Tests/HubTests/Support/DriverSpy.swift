import Hub
import Primitives

/// Records what the hub tells a driver.
final class DriverSpy: SubscriptionDriver {
    struct Notices {
        var advanced: [String] = []
        var ended: [UInt64] = []
        var ready: [UInt64] = []
        var drains = 0
    }

    private let notices = Locked(Notices())

    var advanced: [String] { notices.withLock { $0.advanced } }
    var ended: [UInt64] { notices.withLock { $0.ended } }
    var ready: [UInt64] { notices.withLock { $0.ready } }
    var drains: Int { notices.withLock { $0.drains } }

    func topicAdvanced(_ topic: Topic) { notices.withLock { $0.advanced.append(topic.name.text) } }
    func subscriptionEnded(token: UInt64) { notices.withLock { $0.ended.append(token) } }
    func subscriptionReady(token: UInt64) { notices.withLock { $0.ready.append(token) } }
    func hubDrained() { notices.withLock { $0.drains += 1 } }
}
