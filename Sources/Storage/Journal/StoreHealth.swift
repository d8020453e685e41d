import Primitives

/// How writing to the store goes.
public struct StoreCounters: Sendable, Equatable {
    /// Transactions that were committed since the start.
    public internal(set) var commits: UInt64 = 0
    /// Transactions that failed since the start.
    public internal(set) var failures: UInt64 = 0
    /// Events that were recorded since the start.
    public internal(set) var events: UInt64 = 0
    /// The store takes writes, as far as the last one told.
    public internal(set) var isWritable = true
}

/// Counts transactions, and tells when the store no longer takes writes and when it does again.
final class StoreHealth: Sendable {
    private struct State {
        var counters = StoreCounters()
        var report: (@Sendable (StoreError?) -> Void)?
    }

    private let state = Locked(State())

    var counters: StoreCounters { state.withLock { $0.counters } }

    /// See ``Store/reportTrouble(to:)``.
    func report(to report: @escaping @Sendable (StoreError?) -> Void) { state.withLock { $0.report = report } }

    func committed(events: UInt64) {
        let report = state.withLock { state in
            state.counters.commits += 1
            state.counters.events += events
            defer { state.counters.isWritable = true }
            return state.counters.isWritable ? nil : state.report
        }
        report?(nil)
    }

    func failed(_ error: StoreError) {
        let report = state.withLock { state -> (@Sendable (StoreError?) -> Void)? in
            state.counters.failures += 1
            guard error.isOfTheWholeStore, state.counters.isWritable else { return nil }
            state.counters.isWritable = false
            return state.report
        }
        report?(error)
    }
}

extension StoreError {
    /// The next write will hardly fare better, whatever it is.
    fileprivate var isOfTheWholeStore: Bool {
        switch code {
        case .full, .readOnly, .ioFailed, .corrupt, .notPermitted: true
        default: false
        }
    }
}
