import Primitives

/// What is recorded and may be read, from any thread.
///
/// The engine's thread puts each change here after its commit and before anyone is told, so who has heard of a change
/// finds it here. Locked for memory work only; a long list is read in pieces.
final class JobIndex: Sendable {
    private struct State {
        var jobs: [UniqueID: JobSnapshot] = [:]
        var order = OrderedIDs()
        var tombstones = BoundedMemory<UniqueID, Void>()
        var metrics = JobMetrics()
    }

    private let state = Locked(State())

    /// Jobs looked at per locking.
    private static let entriesPerPiece = 512

    /// Takes over what was recorded before the engine began.
    func load(_ book: JobBook) {
        state.withLock { state in
            (state.jobs, state.order) = (book.jobs, book.order)
            (state.tombstones, state.metrics) = (book.tombstones, book.metrics)
        }
    }

    func publish(changed: [(id: UniqueID, snapshot: JobSnapshot?)], from book: JobBook) {
        let (tombstones, metrics) = (book.tombstones, book.metrics)
        state.withLock { state in
            for (id, snapshot) in changed {
                let known = state.jobs.updateValueOrRemove(snapshot, for: id)
                if let snapshot, known == nil { state.order.insert(id, serial: snapshot.serial) }
                if let known, snapshot == nil { state.order.remove(serial: known.serial) }
            }
            state.tombstones = tombstones
            state.metrics = metrics
        }
    }

    func publish(_ metrics: JobMetrics) {
        state.withLock { $0.metrics = metrics }
    }

    var metrics: JobMetrics { state.withLock { $0.metrics } }

    func job(_ id: UniqueID) -> Lookup<JobSnapshot> {
        state.withLock { state in
            if let known = state.jobs[id] { return .found(known) }
            return state.tombstones[id] == nil ? .unknown : .gone
        }
    }

    func run(_ jobID: UniqueID, _ runID: UniqueID) -> Lookup<Run> {
        state.withLock { state in
            if let run = state.jobs[jobID]?.run(runID) { return .found(run) }
            return state.tombstones[runID] == nil ? .unknown : .gone
        }
    }

    func jobs(_ filter: JobFilter, after cursor: JobCursor?, limit: Int) -> JobPage {
        var found: [JobSnapshot] = []
        var below = cursor?.rawValue ?? .max
        while true {
            let (piece, lowest) = piece(below: below)
            for snapshot in piece where filter.matches(snapshot) {
                // Only a job beyond the page proves that there is a next one.
                if found.count == limit {
                    return JobPage(
                        jobs: found, next: found.last.map { JobCursor(rawValue: $0.serial) } ?? cursor)
                }
                found.append(snapshot)
            }
            guard let lowest else { return JobPage(jobs: found, next: nil) }
            below = lowest
        }
    }

    /// The next jobs before a place, newest first, and the place where to go on.
    private func piece(below serial: Int) -> ([JobSnapshot], lowest: Int?) {
        state.withLock { state in
            let end = state.order.firstIndex(notBelow: serial)
            let start = max(0, end - Self.entriesPerPiece)
            let entries = state.order.entries[start..<end]
            return (
                entries.reversed().compactMap { state.jobs[$0.id] },
                start > 0 ? entries.first?.serial : nil
            )
        }
    }
}

extension Dictionary {
    /// Returns the value that was there before.
    fileprivate mutating func updateValueOrRemove(_ value: Value?, for key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
