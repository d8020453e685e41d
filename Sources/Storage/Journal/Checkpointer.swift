import Primitives
import SQLite

/// Copies what the write-ahead log has into the database, so that the log stays short: a thread and a connection of its
/// own, beside the commits.
///
/// SQLite before 3.51.3 has a fault (sqlite.org/wal.html, "The WAL-Reset Bug"): a checkpoint that finds all copied already,
/// while another connection's commit begins the log anew, may take the new content for copied. So one is begun only when
/// there was a commit after the end of the one before: then there is something to copy, and no commit begins the log anew
/// before that is done.
final class Checkpointer: Sendable {
    private enum Wish { case checkpoint }

    private let wishes = BlockingQueue<Wish>()
    private let thread: OwnThread

    init(path: String, gate: JournalGate, limits: StoreLimits) {
        thread = OwnThread(name: "checkpoint") { [wishes] in
            var work = Checkpoints(path: path, gate: gate, limits: limits)
            while wishes.take() != nil { work.run() }
        }
    }

    /// Asks for a checkpoint. Never blocks.
    func wake() {
        wishes.putIfEmpty(.checkpoint)
    }

    func stop() {
        wishes.close()
        thread.join()
    }
}

/// What the checkpointer's thread knows. A checkpoint that fails is tried again with the next wish.
private struct Checkpoints {
    /// How long commits wait for readers to be through: pages of history are read in less.
    static let restartMilliseconds: Int32 = 100

    let gate: JournalGate
    let limits: StoreLimits
    private var connection: LazyConnection
    /// Commits that there were when the last checkpoint had ended.
    private var seenCommits: UInt64 = 0
    /// Bytes that the log must reach before it is begun anew: more than usual after a reader kept us from it.
    private var restartBytes: Int

    init(path: String, gate: JournalGate, limits: StoreLimits) {
        (self.gate, self.limits) = (gate, limits)
        connection = LazyConnection(path: path, mode: .readWrite)
        restartBytes = limits.walRestartBytes
    }

    mutating func run() {
        guard let log = try? gate.withCore({ core throws(StoreError) in core.log }), log.commits > seenCommits
        else { return }
        if log.bytes >= restartBytes { return restart(log.bytes) }
        _ = try? connection.use { connection throws(SQLiteError) in try connection.checkpoint(.passive) }
        if let commits = try? gate.withCore({ core throws(StoreError) in core.log.commits }) { seenCommits = commits }
    }

    /// With the journal's lock held: the log can't grow meanwhile.
    ///
    /// The log is begun anew in place: to commit to a file that does not grow takes the disk half as long.
    private mutating func restart(_ bytes: Int) {
        let isCopied = try? gate.withCore { core throws(StoreError) in
            core.connection.setBusyTimeout(Self.restartMilliseconds)
            defer { core.connection.setBusyTimeout(Database.busyMilliseconds) }
            let isCopied = (try? core.connection.checkpoint(.restart)) != nil
            seenCommits = core.log.commits
            return isCopied
        }
        restartBytes = isCopied == true ? limits.walRestartBytes : bytes * 2
    }
}
