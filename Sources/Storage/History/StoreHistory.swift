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

    private let queue = BlockingQueue<Read>()
    private let waiting = Locked(0)
    private let bound: Int
    private let thread: OwnThread

    init(path: String, limits: StoreLimits) {
        bound = limits.maxPendingReads
        thread = OwnThread(name: "history") { [queue, waiting] in
            var reader = PageReader(path: path)
            while let read = queue.take() {
                waiting.withLock { $0 -= 1 }
                read.completion(reader.read(read.request))
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

/// Reads pages through a connection that is opened when it is needed, and anew after a failure.
private struct PageReader {
    /// How long it waits for the moment in which the write-ahead log is recovered or emptied.
    static let busyMilliseconds: Int32 = 2_000

    let path: String
    private var connection: Connection?

    init(path: String) { self.path = path }

    mutating func read(_ request: HistoryRequest) -> Result<HistoryPage, HistoryError> {
        do throws(SQLiteError) {
            let connection = try open()
            self.connection = connection
            return try connection.page(request)
        } catch {
            connection = nil
            return .failure(.unreadable)
        }
    }

    private func open() throws(SQLiteError) -> Connection {
        if let connection { return connection }
        return try Connection(path: path, mode: .readOnly, busyTimeout: Self.busyMilliseconds)
    }
}
