import Primitives
import SQLite

/// The journal's connection behind its lock.
///
/// Safety of `@unchecked Sendable`: `core` is touched only while `lock` is held, and whoever gets it there must not
/// keep it.
final class JournalGate: @unchecked Sendable {
    private let lock = FairLock()
    private var core: JournalCore?

    init(_ core: sending JournalCore) { self.core = core }

    /// - Throws: `closed`, and what `body` throws.
    func withCore<Value: ~Copyable>(
        _ body: (JournalCore) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try lock.locked { () throws(StoreError) in
            guard let core else { throw .closed }
            return try body(core)
        }
    }

    /// Runs `body` as the last one.
    func close(_ body: (JournalCore) -> Void) {
        lock.locked {
            if let core = core.take() { body(core) }
        }
    }
}
