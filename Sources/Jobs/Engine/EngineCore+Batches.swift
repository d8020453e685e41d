import Primitives

extension EngineCore {
    /// How many single commands may fail to be recorded, one behind the other, until the rest of their batch is not
    /// tried any more: then the store takes nothing, rather than not this or that.
    static let maxFailuresInARow = 8

    /// What is tried again has a batch of its own, so that it holds up nobody; and so has a stop with what comes behind
    /// it, so that what came before is decided as if it had not come.
    func performBatches(of commands: [JobCommand]) {
        var (before, behind) = ([JobCommand](), [JobCommand]())
        var triesAgain = false
        for command in commands {
            switch command {
            case .retry:
                (triesAgain, plannedRetry) = (true, nil)
            case .shutDown:
                // The last chance: a result comes before the stop's cancel, as it did when the worker brought it.
                triesAgain = true
                behind.append(command)
            default:
                if behind.isEmpty { before.append(command) } else { behind.append(command) }
            }
        }
        if triesAgain, !deferred.isEmpty {
            let unrecorded = deferred
            deferred = []
            perform(batch: unrecorded)
        }
        perform(batch: before)
        if !behind.isEmpty { perform(batch: behind) }
    }

    /// Records the batch by one commit if the store takes it as a whole. If not, its halves are tried, and theirs, down
    /// to single commands, in their order, so that one that the store refuses does not fail the others. What is given
    /// to free workers is recorded behind all of them. So n commands, k of which are refused, take some 2k·log2(n)
    /// commits.
    ///
    /// A command that fails alone is given up. After ``maxFailuresInARow`` of them, with nothing recorded in between,
    /// so are all that were not tried yet.
    private func perform(batch: [JobCommand]) {
        let first = attempt(batch[...], dispatches: true)
        guard var failure = first.failure, !batch.isEmpty else { return }
        let isTriedAlone = batch.count == 1 && !first.hasDispatched
        var pieces = isTriedAlone ? [] : batch[...].halves
        var (refused, untried) = (isTriedAlone ? batch[...] : [], [JobCommand]()[...])
        if isTriedAlone { answer(batch[...], first.answers, failure) }
        var failuresInARow = 0
        while let piece = pieces.popLast() {
            if failuresInARow == Self.maxFailuresInARow {
                answer(piece, first.answers, failure)
                untried += piece
                continue
            }
            let next = attempt(piece, dispatches: false)
            if let why = next.failure {
                failure = why
                if piece.count > 1 {
                    pieces += piece.halves
                } else {
                    answer(piece, first.answers, failure)
                    refused += piece
                    failuresInARow += 1
                }
            } else if next.hasRecorded {
                failuresInARow = 0
            }
        }
        // Those that were not tried come first the next time, so that all have their turn.
        deferred += (untried + refused).filter(\.isSaidOnce)
        if failuresInARow < Self.maxFailuresInARow { _ = attempt([], dispatches: true) }
    }

    /// Answers commands that are given up.
    private func answer(_ commands: ArraySlice<JobCommand>, _ answers: [Answer?], _ failure: JobStoreError) {
        for place in commands.indices {
            answers[place]?(failure)
            if case .shutDown = commands[place] { isShutdownUnrecorded = true }
        }
    }

    private struct Attempt {
        var failure: JobStoreError?
        /// By the commands' places; called already if nothing failed.
        var answers: [Answer?] = []
        var hasRecorded = false
        /// Free workers were given something to do, behind what the commands themselves say of it.
        var hasDispatched = false
    }

    /// Decides on the commands, as one transaction.
    private func attempt(_ commands: ArraySlice<JobCommand>, dispatches: Bool) -> Attempt {
        var attempt = Attempt()
        attempt.failure = transaction {
            if isShutdownUnrecorded {
                // First, or what the workers bring would not look like the work of a shutdown.
                book.cancelAllForShutdown(at: moment)
            }
            for command in commands {
                let moment = moment
                attempt.answers.append(decide(command, at: moment))
                if dispatches { attempt.hasDispatched = dispatch(at: moment) || attempt.hasDispatched }
            }
            if dispatches { attempt.hasDispatched = dispatch(at: moment) || attempt.hasDispatched }
            attempt.hasRecorded = !book.changes.isEmpty
            return attempt.answers
        }
        isShutdownUnrecorded = attempt.failure != nil && book.isShuttingDown
        return attempt
    }

    private func dispatch(at moment: Moment) -> Bool {
        let known = book.changes.count
        book.dispatchQueued(at: moment)
        return book.changes.count > known
    }
}

extension JobCommand {
    /// A worker's outcome and a timer's call are kept until they are recorded. Progress is not: more will follow.
    fileprivate var isSaidOnce: Bool {
        switch self {
        case .workerReturned, .timedOut: true
        default: false
        }
    }
}

extension ArraySlice {
    /// The second half and the first; the whole, if it has no halves.
    fileprivate var halves: [ArraySlice] {
        if count < 2 { return [self] }
        let middle = startIndex + count / 2
        return [self[middle...], self[..<middle]]
    }
}
