import Primitives

/// Hands out the chunks of a sum and adds up what comes back in the order of the chunks, so that the result does not
/// depend on who was faster.
///
/// Any number of tasks claim and deliver. At most ``window`` chunks are between the first one missing and the last one
/// claimed: memory stays constant, and a task that is too far ahead waits (suspended, not blocking its thread).
final class OrderedMerge: Sendable {
    private struct State {
        var claimed = 0
        var merged = 0
        var sum = NeumaierSum()
        /// Delivered before their turn; chunk i at i mod window.
        var early: [Double?]
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isAborted = false
    }

    private enum Claim {
        case chunk(Int)
        case wait
        case none
    }

    static let window = 1_024
    private let chunkCount: Int
    private let state: Locked<State>

    init(chunkCount: Int) {
        self.chunkCount = chunkCount
        state = Locked(State(early: Array(repeating: nil, count: Self.window)))
    }

    /// The sum of what was merged.
    var sum: Double { state.withLock { $0.sum.value } }

    /// The next chunk to compute; nil when there is none left, or after ``abort()``.
    func claim() async -> Int? {
        while true {
            switch state.withLock({ next(&$0) }) {
            case .chunk(let chunk): return chunk
            case .none: return nil
            case .wait: await waitForRoom()
            }
        }
    }

    /// Takes the sum of a chunk. Returns how many chunks are merged now.
    func deliver(_ chunk: Int, _ chunkSum: Double) -> Int {
        let (merged, woken) = state.withLock { state in
            state.early[chunk % Self.window] = chunkSum
            var woken: [CheckedContinuation<Void, Never>] = []
            while let next = state.early[state.merged % Self.window] {
                state.early[state.merged % Self.window] = nil
                state.sum.add(next)
                state.merged += 1
            }
            if chunk < state.merged { swap(&woken, &state.waiting) }
            return (state.merged, woken)
        }
        for task in woken { task.resume() }
        return merged
    }

    /// A chunk will never be delivered: nobody gets another one.
    func abort() {
        let woken = state.withLock { state in
            state.isAborted = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for task in woken { task.resume() }
    }

    private func next(_ state: inout State) -> Claim {
        if state.isAborted || state.claimed == chunkCount { return .none }
        if state.claimed - state.merged >= Self.window { return .wait }
        state.claimed += 1
        return .chunk(state.claimed - 1)
    }

    private func waitForRoom() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                guard !state.isAborted, state.claimed < chunkCount,
                    state.claimed - state.merged >= Self.window
                else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }
}
