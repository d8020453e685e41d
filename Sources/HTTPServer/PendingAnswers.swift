import Primitives

/// The exchanges that wait for a task, so that each is answered once: by its task or by the stop.
final class PendingAnswers: Sendable {
    struct Answer: Sendable {
        let exchange: Exchange
        var task: Task<Void, Never>?
    }

    private struct State {
        var isStopping = false
        var nextID = 0
        var answers: [Int: Answer] = [:]
    }

    private let state = Locked(State())

    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Nil when stopping: the caller keeps the exchange and answers it.
    func add(_ exchange: Exchange) -> Int? {
        state.withLock { state in
            guard !state.isStopping else { return nil }
            state.nextID += 1
            state.answers[state.nextID] = Answer(exchange: exchange)
            return state.nextID
        }
    }

    /// Lets `stop` cancel the task. A task that came too late for that is cancelled here.
    func attach(_ task: Task<Void, Never>, to id: Int) {
        let isStopping = state.withLock { state in
            state.answers[id]?.task = task
            return state.isStopping
        }
        if isStopping { task.cancel() }
    }

    /// The exchange, for the first who asks; nil for everyone after.
    func take(_ id: Int) -> Exchange? {
        state.withLock { $0.answers.removeValue(forKey: id)?.exchange }
    }

    /// Everything that waits. Nothing is added from here on.
    func stop() -> [Answer] {
        state.withLock { state in
            state.isStopping = true
            defer { state.answers = [:] }
            return Array(state.answers.values)
        }
    }
}
