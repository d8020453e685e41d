import Primitives

@testable import Jobs

extension JobBook {
    /// What is not as in a book that begins with what was recorded, now.
    func differences(to reloaded: JobBook, at moment: Moment) -> [String] {
        var found: [String] = []
        func compare<Value: Equatable>(_ name: String, _ value: (JobBook) -> Value) {
            let (mine, others) = (value(self), value(reloaded))
            if mine != others { found.append("\(name): \(mine) in memory, \(others) recorded") }
        }
        compare("jobs") { $0.jobs }
        compare("order") { $0.order.entries.map(\.id) }
        compare("serials") { $0.order.entries.map(\.serial) }
        compare("tombstones") { $0.tombstones.keys }
        // Forgotten when somebody looks.
        compare("keys") { $0.keys.elements.filter { $0.value.expires > moment.monotonic }.map(\.key) }
        compare("answers") {
            $0.keys.elements.filter { $0.value.expires > moment.monotonic }.map(\.value.receipt)
        }
        compare("expiry") { $0.keys.elements.map(\.value.expires).filter { $0 > moment.monotonic } }
        compare("states") { $0.metrics.jobsByState.filter { $0.value != 0 } }
        compare("queued runs") { $0.metrics.queuedRuns }
        compare("bytes") { $0.metrics.keptBytes }
        if lastSerial < reloaded.lastSerial { found.append("serials go on at \(lastSerial)") }
        return found
    }
}

extension BoundedMemory {
    fileprivate var elements: [(key: Key, value: Value)] {
        var (rest, elements) = (self, [(key: Key, value: Value)]())
        while let oldest = rest.oldest {
            elements.append(oldest)
            rest.removeOldest()
        }
        return elements
    }

    fileprivate var keys: [Key] { elements.map(\.key) }
}
