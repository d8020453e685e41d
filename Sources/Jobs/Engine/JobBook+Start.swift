import Primitives

extension JobBook {
    /// Starts what `start` asks for. The idempotency key is looked at first, then the job's conflict policy.
    mutating func start(_ start: PreparedStart, at moment: Moment) throws(JobError) -> StartReceipt {
        forgetExpiredKeys(at: moment)
        if let key = start.request.idempotencyKey, let known = keys[key.key] {
            guard known.fingerprint == key.fingerprint else {
                throw JobError(
                    .keyReused, "This idempotency key came with a different request before. Use a new key.")
            }
            var receipt = known.receipt
            receipt.isReplay = true
            return receipt
        }
        guard !isShuttingDown else {
            throw JobError(.shuttingDown, "The server is stopping. Try again later.")
        }
        let receipt =
            switch start.request.target {
            case .newJob(let id, _, _): try createJob(id, start, at: moment)
            case .existingJob(let id, _, let policy): try startRun(of: id, policy, start, at: moment)
            }
        if let key = start.request.idempotencyKey { remember(key, receipt, at: moment) }
        return receipt
    }

    private mutating func createJob(
        _ clientID: UniqueID?, _ start: PreparedStart, at moment: Moment
    ) throws(JobError) -> StartReceipt {
        let id = clientID ?? start.newJobID
        if let known = jobs[id] { return try sameJob(known, start) }
        guard tombstones[id] == nil else {
            throw JobError(.gone, "A job with this ID existed and is no longer kept. Use a new ID.")
        }
        let job = Job(
            id: id, kind: start.kind, input: start.input, timeout: start.request.timeout,
            createdAt: moment.wall)
        let (started, _, actions) = try startRun(in: job, .reject, start, at: moment)
        try makeRoom(forJobs: 1, bytes: started.bytes)
        let serial = nextSerial()
        record(.jobCreated(job, serial: serial))
        insert(started, serial: serial)
        apply(actions, to: started)
        keepWork(of: start, at: moment)
        return receipt(.created, id, start.newRunID)
    }

    /// The client repeats its request, or uses the ID for something else.
    private func sameJob(_ known: JobSnapshot, _ start: PreparedStart) throws(JobError) -> StartReceipt {
        let job = known.job
        guard job.kind == start.kind, job.input == start.input, job.timeout == start.request.timeout else {
            throw JobError(
                .differentJob,
                "A job with this ID exists and differs. Use a new ID, or start a run of that job.",
                currentRunID: job.currentRunID)
        }
        return receipt(.unchanged, job.id, known.currentRun.id)
    }

    private mutating func startRun(
        of id: UniqueID, _ policy: ConflictPolicy, _ start: PreparedStart, at moment: Moment
    ) throws(JobError) -> StartReceipt {
        let job = try find(id).job
        let (changed, decision, actions) = try startRun(in: job, policy, start, at: moment)
        if case .joined(let runID) = decision { return receipt(.joined, id, runID) }
        try makeRoom(forJobs: 0, bytes: changed.bytes - job.bytes, sparing: id)
        update(changed)
        apply(actions, to: changed)
        keepWork(of: start, at: moment)
        return switch decision {
        case .current(let replaces): receipt(.started, id, start.newRunID, replaces: replaces)
        case .queuedBehind, .joined: receipt(.queued, id, start.newRunID)
        }
    }

    /// Keeps the new run's work, and starts it if a worker is free, so that the receipt says so.
    private mutating func keepWork(of start: PreparedStart, at moment: Moment) {
        then(.keepWork(runID: start.newRunID, start.work))
        dispatchQueued(at: moment)
    }

    private func startRun(
        in job: Job, _ policy: ConflictPolicy, _ start: PreparedStart, at moment: Moment
    ) throws(JobError) -> (Job, StartDecision, [JobAction]) {
        var changed = job
        let transition: Transition<StartDecision>
        do throws(StartRefusal) {
            transition = try changed.start(
                NewRun(
                    id: start.newRunID, input: start.input, timeout: start.request.timeout ?? job.timeout),
                onConflict: policy, limits: limits, at: moment.wall)
        } catch {
            throw refusal(error)
        }
        let added = changed.queuedRunCount - job.queuedRunCount
        let startsAtOnce = changed.currentRunID == start.newRunID && busyRuns.count < maxRunningRuns
        guard added <= 0 || startsAtOnce || metrics.queuedRuns + added <= limits.maxQueuedRuns else {
            throw queueFull("The queue of runs is full. Try again later.")
        }
        return (changed, transition.answer, transition.actions)
    }

    private func refusal(_ refusal: StartRefusal) -> JobError {
        switch refusal {
        case .conflict(let runID):
            JobError(
                .conflict,
                "A run of this job is under way. Cancel it, or start with onConflict join, replace or queue.",
                currentRunID: runID)
        case .tooManyQueuedRuns:
            queueFull("Too many runs of this job are waiting. Try again later.")
        }
    }

    private func queueFull(_ message: String) -> JobError {
        JobError(.queueFull, message, retryAfter: limits.queueFullRetryHint)
    }

    /// The answer about a run that the job has.
    private func receipt(
        _ disposition: StartReceipt.Disposition, _ jobID: UniqueID, _ runID: UniqueID,
        replaces: UniqueID? = nil
    ) -> StartReceipt {
        guard let job = jobs[jobID]?.job, let run = job.run(runID) else {
            preconditionFailure("a receipt is about a run that was just found or added")
        }
        return StartReceipt(
            disposition: disposition, jobID: jobID, kind: job.kind, runID: runID, ordinal: run.ordinal,
            state: run.state, replaces: replaces)
    }

    // MARK: Idempotency keys

    private mutating func remember(_ key: IdempotencyKey, _ receipt: StartReceipt, at moment: Moment) {
        let expires = moment.monotonic + limits.idempotencyKeyLifetime
        keys.put(
            key.key, RememberedKey(fingerprint: key.fingerprint, receipt: receipt, expires: expires))
        onFailure { $0.keys.removeNewest() }
        record(.keyRemembered(key, receipt, at: moment.wall))
    }

    /// All keys live equally long, so the oldest expire first. What has expired stays forgotten if the commit fails.
    private mutating func forgetExpiredKeys(at moment: Moment) {
        while let oldest = keys.oldest, oldest.value.expires <= moment.monotonic { keys.removeOldest() }
    }
}
