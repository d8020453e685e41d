import Primitives
import Storage

/// Gathers what units were answered, in the order in which that came.
final class Answers: Sendable {
    typealias Answer = (number: Int, result: Result<UInt64, StoreError>)

    private let answers = Locked<[Answer]>([])
    private let queue = BlockingQueue<Void>()
    private let count: Int

    init(_ count: Int) { self.count = count }

    func add(_ number: Int, _ result: Result<UInt64, StoreError>) {
        answers.withLock { $0.append((number, result)) }
        _ = queue.put(())
    }

    /// Waits for as many as were announced.
    func all() async -> [Answer] {
        await withCheckedContinuation { continuation in
            _ = OwnThread(name: "answers") { [self] in
                for _ in 0..<count { queue.take() }
                continuation.resume(returning: answers.withLock { $0 })
            }
        }
    }
}

/// Holds a thread up.
final class Gate: Sendable {
    private let entered = BlockingQueue<Void>()
    private let opened = BlockingQueue<Void>()

    /// Says that the thread is here, and waits.
    func waitUntilOpen() {
        _ = entered.put(())
        opened.take()
    }

    func waitUntilEntered() { entered.take() }
    func open() { _ = opened.put(()) }
}
