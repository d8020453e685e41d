import Jobs
import Primitives

/// A computation whose runs end when and how the test says. The input is `{"name": ..., "stubborn": bool?}`.
///
/// An ordinary run gives up at once when it is cancelled; a stubborn one goes on until it is told to end.
final class GatedComputation: Computation {
    struct Work: Sendable {
        let name: String
        let isStubborn: Bool
    }

    private struct State {
        var contexts: [String: RunContext] = [:]
        var lastToken = 0
        var gates: [Int: (name: String, gate: CheckedContinuation<JSONValue, any Error>)] = [:]
        /// Told to end before they reached the gate.
        var endings: [String: Result<JSONValue, any Error>] = [:]
        var cancelled: Set<Int> = []
        var startWaiters: [(name: String, continuation: CheckedContinuation<Void, Never>)] = []
        var isOpen = false
    }

    private let state = Locked(State())

    let kind: String
    let restartsAfterInterruption: Bool
    let title = "Gated"
    let summary = "Ends when told to."
    let inputSchema: JSONValue = ["type": "object"]

    init(kind: String = "gated", restartsAfterInterruption: Bool = false) {
        (self.kind, self.restartsAfterInterruption) = (kind, restartsAfterInterruption)
    }

    func validate(_ input: JSONValue) throws(InputError) -> Work {
        guard case .string(let name) = input["name"] else {
            throw InputError(field: "name", message: "\"name\" must be a string.")
        }
        return Work(name: name, isStubborn: input["stubborn"] == true)
    }

    func run(_ work: Work, _ context: RunContext) async throws -> JSONValue {
        let name = work.name
        let (token, waiters) = state.withLock { state in
            state.contexts[name] = context
            state.lastToken += 1
            defer { state.startWaiters.removeAll { $0.name == name } }
            return (state.lastToken, state.startWaiters.filter { $0.name == name }.map(\.continuation))
        }
        for waiter in waiters { waiter.resume() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { gate in
                let ending = state.withLock { state -> Result<JSONValue, any Error>? in
                    if state.isOpen || state.cancelled.contains(token) {
                        return .failure(CancellationError())
                    }
                    if let ending = state.endings.removeValue(forKey: name) { return ending }
                    state.gates[token] = (name, gate)
                    return nil
                }
                if let ending { gate.resume(with: ending) }
            }
        } onCancel: {
            if !work.isStubborn { cancel(token) }
        }
    }

    func succeed(_ name: String, _ result: JSONValue = "done") { end(name, .success(result)) }
    func fail(_ name: String, _ error: any Error) { end(name, .failure(error)) }

    /// Ends the runs of this name, or the next one to come.
    private func end(_ name: String, _ ending: Result<JSONValue, any Error>) {
        let gates = state.withLock { state in
            let gates = state.gates.filter { $0.value.name == name }
            for token in gates.keys { state.gates[token] = nil }
            if gates.isEmpty { state.endings[name] = ending }
            return gates.values.map(\.gate)
        }
        for gate in gates { gate.resume(with: ending) }
    }

    private func cancel(_ token: Int) {
        let gate = state.withLock { state in
            state.cancelled.insert(token)
            return state.gates.removeValue(forKey: token)?.gate
        }
        gate?.resume(throwing: CancellationError())
    }

    /// Returns once the run computes; its context serves to report and to look at the cancellation.
    @discardableResult
    func started(_ name: String) async -> RunContext? {
        await withCheckedContinuation { continuation in
            let hasStarted = state.withLock { state in
                if state.contexts[name] != nil { return true }
                state.startWaiters.append((name, continuation))
                return false
            }
            if hasStarted { continuation.resume() }
        }
        return state.withLock { $0.contexts[name] }
    }

    func hasStarted(_ name: String) -> Bool { state.withLock { $0.contexts[name] != nil } }

    /// Lets every run end, also those that start later.
    func open() {
        let gates = state.withLock { state in
            state.isOpen = true
            defer { state.gates = [:] }
            return state.gates.values.map(\.gate)
        }
        for gate in gates { gate.resume(throwing: CancellationError()) }
    }
}
