/// What became of the runs that were not over when the process before this one ended.
public struct JobRecovery: Sendable, Hashable {
    /// They were running.
    public internal(set) var lost = 0
    /// They were running, and their kinds start anew: they wait, or run again.
    public internal(set) var requeued = 0
    /// They had been asked to stop before: by a cancel, a newer run or their time limit.
    public internal(set) var stopped = 0
    /// They were queued, and their kinds or inputs are no longer taken.
    public internal(set) var failed = 0
    /// They were queued, and go on waiting, or run.
    public internal(set) var queued = 0
    /// Why it could not be recorded. It has not happened then, and is tried again: after
    /// ``JobLimits/storeRetryInterval``, and with whatever is asked of the engine.
    public internal(set) var failure: JobStoreError?

    mutating func count(_ event: JobEvent) {
        switch event.payload {
        case .lost: lost += 1
        case .queued: requeued += 1
        case .cancelled, .timedOut: stopped += 1
        case .failed: failed += 1
        case .started, .progress, .cancelRequested, .succeeded, .end: break
        }
    }
}
