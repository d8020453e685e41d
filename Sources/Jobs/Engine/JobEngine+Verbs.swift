public import Primitives

extension JobEngine {
    /// Decides on the runs that were not over when the process before this one ended, by one commit, and tells the sink
    /// as of everything else; then begins to drop jobs that are kept for too long.
    ///
    /// The owner calls it once, when the sink is ready. Where there are such runs, nothing else is decided before: starts
    /// and cancels wait for it, and are refused with `storeUnavailable` as long as it can't be recorded. Reads work.
    @discardableResult
    public func recover() async -> JobRecovery {
        await withCheckedContinuation { continuation in
            post(.recover { continuation.resume(returning: $0) })
        }
    }

    /// Starts a run, of a new job or of one that exists.
    ///
    /// - Throws: `unknownKind`, `invalidInput` (with the field), `invalidTimeout`, `invalidIdempotencyKey`, `keyReused`,
    ///   `unknownJob`, `gone`, `differentJob`, `conflict` (with the current run), `queueFull` (with a hint when to try
    ///   again), `tooManyJobs`, `storeUnavailable`, `shuttingDown`. Nothing was started then.
    public func start(_ request: StartRequest) async throws(JobError) -> StartReceipt {
        let start = try prepare(request)
        let result = await withCheckedContinuation { continuation in
            post(.start(start) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// Cancels the job's current run, or `runID` if that is current or waits behind it.
    ///
    /// Repeating it is harmless. With `force` the run is over at once, without waiting for its worker.
    ///
    /// - Throws: `unknownJob`, `unknownRun`, `gone`, `notCurrent` (with the current run), `storeUnavailable`,
    ///   `shuttingDown`. Nothing was cancelled then.
    public func cancel(
        _ jobID: UniqueID, runID: UniqueID? = nil, reason: CancelReason = .user, force: Bool = false
    ) async throws(JobError) -> CancelReceipt {
        let request = CancelRequest(jobID: jobID, runID: runID, reason: reason, force: force)
        let result = await withCheckedContinuation { continuation in
            post(.cancel(request) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// Waits until the job (with `runID`: that run) is over, for at most `duration` and ``JobLimits/maxWait``, and
    /// returns the job as it is then; nil when there is no such job. Returns early when the calling task is cancelled,
    /// when there are too many waiters, and when the engine shuts down.
    public func waitUntilTerminal(
        _ jobID: UniqueID, runID: UniqueID? = nil, for duration: Duration
    ) async -> JobSnapshot? {
        let waiterID = UniqueID.random()
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                post(
                    .wait(
                        Waiter(id: waiterID, jobID: jobID, runID: runID, duration: duration) {
                            continuation.resume()
                        }))
                // The handler below may have spoken before there was a waiter.
                if Task.isCancelled { post(.waitEnded(waiterID: waiterID)) }
            }
        } onCancel: {
            post(.waitEnded(waiterID: waiterID))
        }
        return job(jobID).value
    }

    /// Refuses new starts, cancels every run with the reason `shutdown`, and returns once all workers have returned,
    /// or after `bound`: then runs that were not over end without their workers. Afterwards only reads work.
    ///
    /// With a durable store queued runs stay queued for the next process, and nothing is said of them; a running one of
    /// a kind that starts anew is queued again, unless its worker still brings a result.
    public func shutDown(within bound: Duration = .seconds(10)) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            post(.shutDown(bound) { continuation.resume() })
        }
    }

    /// All that can be checked without the engine's thread, so that a bad request costs the others nothing.
    private func prepare(_ request: StartRequest) throws(JobError) -> PreparedStart {
        if let timeout = request.timeout, timeout <= .zero || timeout > limits.maxTimeout {
            throw JobError(
                .invalidTimeout, "The time limit must be greater than 0 and at most \(limits.maxTimeout).")
        }
        if let key = request.idempotencyKey?.key,
            key.isEmpty || key.utf8.count > limits.maxIdempotencyKeyBytes
        {
            throw JobError(
                .invalidIdempotencyKey,
                "An idempotency key has 1 to \(limits.maxIdempotencyKeyBytes) bytes.")
        }
        let (kind, input) = try kindAndInput(of: request)
        let work = try kindRegistry.prepare(kind: kind, input)
        let now = time.wall()
        return PreparedStart(
            request: request, kind: kind, input: input, work: work, newJobID: .timeOrdered(at: now),
            newRunID: .timeOrdered(at: now))
    }

    private func kindAndInput(of request: StartRequest) throws(JobError) -> (kind: String, input: JSONValue) {
        switch request.target {
        case .newJob(_, let kind, let input):
            return (kind, input)
        case .existingJob(let id, let input, _):
            switch job(id) {
            case .found(let known): return (known.kind, input ?? known.input)
            case .gone: throw JobError(.gone, "This job is no longer kept.")
            case .unknown: throw JobError(.unknownJob, "There is no job with this ID.")
            }
        }
    }
}
