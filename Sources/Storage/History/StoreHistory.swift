public import Hub
import Primitives
import SQLite

/// The past of the topics, read by a thread and through a connection of its own, beside whatever is being recorded.
///
/// Threading: any thread; `read` never blocks, and answers on the history's thread.
public final class StoreHistory: TopicHistory {
    private typealias Read = (
        request: HistoryRequest, completion: @Sendable (Result<HistoryPage, HistoryError>) -> Void
    )

    /// How long it waits for the moment in which the write-ahead log is recovered or emptied.
    private static let busyMilliseconds: Int32 = 2_000

    private let queue = BlockingQueue<Read>()
    private let waiting = Locked(0)
    private let bound: Int
    private let thread: OwnThread

    init(path: String, limits: StoreLimits) {
        bound = limits.maxPendingReads
        thread = OwnThread(name: "history") { [queue, waiting] in
            var reader = LazyConnection(path: path, mode: .readOnly, busyTimeout: Self.busyMilliseconds)
            while let read = queue.take() {
                waiting.withLock { $0 -= 1 }
                read.completion(reader.page(read.request))
            }
        }
    }

    /// One page of a topic's past, as it is at one moment. Beyond the bound on reads that wait, and after the store was
    /// closed, the answer is `unreadable`, at once and on this thread.
    public func read(
        _ request: HistoryRequest, completion: @escaping @Sendable (Result<HistoryPage, HistoryError>) -> Void
    ) {
        let hasRoom = waiting.withLock { waiting in
            guard waiting < bound else { return false }
            waiting += 1
            return true
        }
        if hasRoom, queue.put((request, completion)) { return }
        completion(.failure(.unreadable))
    }

    /// Answers what waits, then ends.
    func stop() {
        queue.close()
        thread.join()
    }
}

extension LazyConnection {
    fileprivate mutating func page(_ request: HistoryRequest) -> Result<HistoryPage, HistoryError> {
        do throws(SQLiteError) {
            return try use { connection throws(SQLiteError) in try connection.page(request) }
        } catch {
            return .failure(.unreadable)
        }
    }
}
