import Primitives
import SQLite

/// The one place where anything is recorded: it gives the numbers, and what is recorded is told in their order.
///
/// A lock is held from the beginning of a transaction until what it recorded has been told, so that nobody is told of
/// anything newer before. Whoever is told must therefore be quick, and must not call the journal or the store.
///
/// A write that fails records nothing and changes nothing; the next one is tried as if nothing had happened.
///
/// Threading: any thread. `record` and `finish` block, so they are not for the cooperative pool; `submit` never does.
public final class Journal: Sendable {
    let gate: JournalGate
    private let pending: PendingUnits
    private let thread: OwnThread

    init(_ gate: JournalGate, _ limits: StoreLimits) {
        let pending = PendingUnits(limits)
        (self.gate, self.pending) = (gate, pending)
        thread = OwnThread(name: "journal") {
            while let units = pending.takeAll() {
                for start in stride(from: 0, to: units.count, by: limits.maxUnitsPerCommit) {
                    gate.commit(units[start..<min(units.count, start + limits.maxUnitsPerCommit)])
                }
            }
        }
    }

    /// Records in a transaction of its own, and waits until it is committed.
    /// - Parameters:
    ///   - write: records; what it throws is thrown, and nothing is recorded.
    ///   - tell: tells of it, on this thread, before anything that is recorded later is told to anyone. Not called when
    ///     nothing was recorded.
    @discardableResult
    public func record<Value: ~Copyable>(
        _ write: (inout Recording) throws(StoreError) -> Value, telling tell: (borrowing Value) -> Void = { _ in }
    ) throws(StoreError) -> Value {
        try gate.withCore { core throws(StoreError) in
            let value = try core.commit(write)
            tell(value)
            return value
        }
    }

    /// Has something recorded by the journal's own thread, which commits all that has arrived with one transaction.
    /// - Parameters:
    ///   - byteCount: what it takes while it waits.
    ///   - write: records; may be called a second time when a transaction failed because of another unit. To refuse
    ///     without an error, it records nothing and returns a value that says so.
    ///   - done: told what came of it, once, on the journal's thread, in the order of the numbers.
    /// - Throws: `tooManyPending` and `closed`, at once: neither `write` nor `done` will be called.
    public func submit<Value: Sendable>(
        byteCount: Int, write: @escaping @Sendable (inout Recording) throws(StoreError) -> Value,
        done: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) throws(StoreError) {
        try pending.put(
            PendingUnit(
                byteCount: byteCount,
                record: { recording throws(StoreError) in
                    let value = try write(&recording)
                    return { done(.success(value)) }
                }, fail: { done(.failure($0)) }))
    }

    /// Lets all that was submitted be recorded and told, and refuses what comes from now on.
    public func finish() {
        pending.close()
        thread.join()
    }
}

extension JournalGate {
    /// One transaction for all. If it fails, one for each, so that one that does not fit does not fail the others.
    fileprivate func commit(_ units: ArraySlice<PendingUnit>) {
        do throws(StoreError) {
            try withCore { core throws(StoreError) in
                let tells = try core.commit { recording throws(StoreError) in
                    var tells: [@Sendable () -> Void] = []
                    tells.reserveCapacity(units.count)
                    for unit in units { tells.append(try unit.record(&recording)) }
                    return tells
                }
                for tell in tells { tell() }
            }
        } catch {
            guard units.count > 1 else {
                for unit in units { unit.fail(error) }
                return
            }
            for index in units.indices { commit(units[index...index]) }
        }
    }
}
