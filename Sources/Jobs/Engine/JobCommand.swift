import Primitives

/// What reaches the engine's thread.
enum JobCommand: Sendable {
    typealias Reply<Answer> = @Sendable (Result<Answer, JobError>) -> Void

    /// Decide on what the process before this one left unfinished.
    case recover(@Sendable (JobRecovery) -> Void)
    case start(PreparedStart, Reply<StartReceipt>)
    case cancel(CancelRequest, Reply<CancelReceipt>)
    /// There is a report to take.
    case progress(jobID: UniqueID, runID: UniqueID, ProgressSlot)
    /// The worker has returned, with the last report that had not got through.
    case workerReturned(jobID: UniqueID, runID: UniqueID, RunOutcome, lastProgress: RunProgress?)
    case timedOut(jobID: UniqueID, runID: UniqueID)
    case wait(Waiter)
    case waitEnded(waiterID: UniqueID)
    /// Drop jobs that are over for too long, from the one with the next serial on.
    case dropExpired(behind: Int)
    /// Try again what a failed commit left undone.
    case retry
    /// With the time that the workers get.
    case shutDown(Duration, @Sendable () -> Void)
    /// That time is over.
    case abandonWorkers
}

/// A start whose input was found valid.
struct PreparedStart: Sendable {
    let request: StartRequest
    let kind: String
    let input: JSONValue
    let work: KindRegistry.PreparedWork
    /// For the job, unless the client chose one.
    let newJobID: UniqueID
    let newRunID: UniqueID
}

struct CancelRequest: Sendable {
    let jobID: UniqueID
    let runID: UniqueID?
    let reason: CancelReason
    let force: Bool
}

/// A caller that holds on until a run is over.
struct Waiter: Sendable {
    let id: UniqueID
    let jobID: UniqueID
    /// Nil: until the job is terminal.
    let runID: UniqueID?
    let duration: Duration
    /// Called exactly once.
    let resume: @Sendable () -> Void
}
