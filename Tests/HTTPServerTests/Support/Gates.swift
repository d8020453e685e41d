import Primitives

/// Lets a test decide when each asynchronous answer is given.
final class Gates: Sendable {
    private struct Gate {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private struct State {
        var gates: [String: Gate] = [:]
        var nextID = 0
    }

    private let state = Locked(State())
    /// How many have come to their gate, and how many of them were cancelled there.
    let arrivals = Watched((arrived: 0, cancelled: 0))

    /// Returns when the gate is opened or the task is cancelled.
    func pass(_ name: String) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.gates[name]?.isOpen == true || Task.isCancelled { return true }
                    state.gates[name, default: Gate()].waiting[id] = continuation
                    return false
                }
                arrivals.update { $0.arrived += 1 }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            arrivals.update { $0.cancelled += 1 }
            state.withLock { $0.gates[name]?.waiting.removeValue(forKey: id) }?.resume()
        }
    }

    func open(_ name: String) {
        let waiting = state.withLock { state in
            state.gates[name, default: Gate()].isOpen = true
            defer { state.gates[name]?.waiting = [:] }
            return Array(state.gates[name]?.waiting.values ?? [:].values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
