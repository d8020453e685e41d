import Primitives

/// Something that a publisher wants recorded, and whom to tell what came of it.
struct PendingUnit: Sendable {
    /// Bytes that it takes while it waits.
    let byteCount: Int
    /// Records it. May be called again when the transaction failed. Returns what to call when that was committed.
    let record: @Sendable (inout Recording) throws(StoreError) -> @Sendable () -> Void
    let fail: @Sendable (StoreError) -> Void
}

/// What waits for the journal's thread, within bounds.
///
/// Threading: any thread; taking blocks.
final class PendingUnits: Sendable {
    private struct Load {
        var units = 0
        var bytes = 0
    }

    private let queue = BlockingQueue<PendingUnit>()
    private let load = Locked(Load())
    private let limits: StoreLimits

    init(_ limits: StoreLimits) { self.limits = limits }

    func put(_ unit: PendingUnit) throws(StoreError) {
        let hasRoom = load.withLock { load in
            guard load.units < limits.maxPendingUnits, load.bytes < limits.maxPendingBytes else { return false }
            load.units += 1
            load.bytes += unit.byteCount
            return true
        }
        guard hasRoom else {
            throw StoreError(.tooManyPending, "More waits to be recorded than the disk can take. Try again later.")
        }
        if !queue.put(unit) { throw .closed }
    }

    /// Waits for units and takes all there are; nil once it is closed and all were taken.
    func takeAll() -> [PendingUnit]? {
        let units = queue.takeAll()
        guard !units.isEmpty else { return nil }
        let bytes = units.reduce(0) { $0 + $1.byteCount }
        load.withLock { load in
            load.units -= units.count
            load.bytes -= bytes
        }
        return units
    }

    func close() { queue.close() }
}

extension StoreError {
    static let closed = StoreError(.closed, "The store is closed: the server stops.")
}
