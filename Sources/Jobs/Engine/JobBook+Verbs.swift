import Primitives

extension JobBook {
    func find(_ id: UniqueID) throws(JobError) -> JobSnapshot {
        if let known = jobs[id] { return known }
        throw tombstones[id] == nil
            ? JobError(.unknownJob, "There is no job with this ID.")
            : JobError(.gone, "This job is no longer kept.")
    }

    mutating func cancel(_ request: CancelRequest, at moment: Moment) throws(JobError) -> CancelReceipt {
        var job = try find(request.jobID).job
        let transition: Transition<CancelDecision>
        do throws(CancelRefusal) {
            transition = try job.cancel(
                request.runID, reason: request.reason, force: request.force, at: moment.wall)
        } catch {
            throw refusal(error, of: request.runID)
        }
        if !transition.actions.isEmpty {
            update(job)
            apply(transition.actions, to: job)
        }
        let (disposition, runID): (CancelReceipt.Disposition, UniqueID) =
            switch transition.answer {
            case .requested(let runID): (.requested, runID)
            case .ended(let runID): (.ended, runID)
            case .unchanged(let runID): (.unchanged, runID)
            }
        let run = job.run(runID)
        return CancelReceipt(
            disposition: disposition, jobID: job.id, runID: runID, ordinal: run?.ordinal ?? 0,
            state: run?.state ?? .cancelled)
    }

    private func refusal(_ refusal: CancelRefusal, of runID: UniqueID?) -> JobError {
        switch refusal {
        case .notCurrent(let currentRunID):
            JobError(
                .notCurrent, "This run is not the job's current one. Nothing was cancelled.",
                currentRunID: currentRunID)
        case .unknownRun, .noRun:
            runID.flatMap { tombstones[$0] } == nil
                ? JobError(.unknownRun, "The job has no run with this ID.")
                : JobError(.gone, "This run is no longer kept.")
        }
    }

    mutating func progress(_ jobID: UniqueID, _ runID: UniqueID, _ progress: RunProgress, at moment: Moment) {
        change(jobID) { $0.progress(runID, progress, at: moment.wall) }
    }

    mutating func timedOut(_ jobID: UniqueID, _ runID: UniqueID, at moment: Moment) {
        change(jobID) { $0.timedOut(runID, at: moment.wall) }
    }

    mutating func runFinished(
        _ jobID: UniqueID, _ runID: UniqueID, _ outcome: RunOutcome, lastProgress: RunProgress?,
        at moment: Moment
    ) {
        guard jobs[jobID] != nil else {
            if outcome != .stopped { metrics.resultsRefused[.unknown, default: 0] += 1 }
            return
        }
        let givesUpForShutdown = isShuttingDown && restarts(jobID) && !outcome.isSuccess
        change(jobID) { job in
            // A cancel that came first wins, in either case.
            (givesUpForShutdown
                ? job.requeued(runID, at: moment.wall)
                : lastProgress.map { job.progress(runID, $0, at: moment.wall) } ?? [])
                + job.runFinished(runID, outcome, at: moment.wall)
        }
        dropSurplus(sparing: jobID)
    }

    /// Asks all runs of all jobs to stop because the server does. If what is recorded outlives the process, runs that
    /// wait go on waiting, and those of kinds that start anew are decided on when their workers return.
    mutating func cancelAllForShutdown(at moment: Moment) {
        for entry in order.entries where !restarts(entry.id) {
            change(entry.id) { [isDurable] in
                $0.cancelAll(reason: .shutdown, sparesQueued: isDurable, at: moment.wall)
            }
        }
    }

    /// Decides on the runs whose workers do not come back.
    mutating func abandonRuns(at moment: Moment) {
        for entry in order.entries {
            let requeues = restarts(entry.id)
            change(entry.id) {
                $0.interrupted(reason: "The server stopped.", requeues: requeues, at: moment.wall)
            }
        }
    }

    /// Whether interrupted runs of the job start anew.
    func restarts(_ jobID: UniqueID) -> Bool {
        isDurable && (jobs[jobID].map { restartingKinds.contains($0.kind) } ?? false)
    }

    /// Gives free workers to the current runs that wait longest.
    mutating func dispatchQueued(at moment: Moment) {
        while !isShuttingDown, busyRuns.count < maxRunningRuns, let next = queue.first {
            queue.removeFirst()
            change(next.jobID) { $0.dispatched(next.runID, at: moment.wall) }
        }
    }

    mutating func change(_ jobID: UniqueID, _ verb: (inout Job) -> [JobAction]) {
        guard var job = jobs[jobID]?.job else { return }
        let actions = verb(&job)
        guard !actions.isEmpty else { return }
        update(job)
        apply(actions, to: job)
    }

    /// Does what concerns the book itself, and notes what has to be recorded and done.
    mutating func apply(_ actions: [JobAction], to job: Job) {
        recordRuns(touchedBy: actions, of: job)
        for action in actions {
            switch action {
            case .emit(let event):
                record(.eventAppended(event))
                count(event)
            case .currentRunChanged(let ordinal):
                if let runID = job.currentRunID {
                    record(.currentRunChanged(jobID: job.id, runID: runID, ordinal: ordinal))
                }
            case .enqueue(let runID): queue.append(QueueEntry(jobID: job.id, runID: runID))
            case .dequeue(let runID): queue.removeAll { $0.runID == runID }
            case .startWorker(let runID):
                busyRuns.insert(runID)
                onFailure { $0.busyRuns.remove(runID) }
                metrics.busyWorkers = busyRuns.count
            case .resultRefused(_, let reason): metrics.resultsRefused[reason, default: 0] += 1
            case .runEvicted(let runID):
                bury(runID)
                record(.runEvicted(jobID: job.id, runID: runID))
            case .cancelWorker, .armTimeout, .disarmTimeout: break
            }
            then(.job(job.id, action))
        }
    }

    /// Every change of a run emits an event, so the events tell which runs have changed.
    private mutating func recordRuns(touchedBy actions: [JobAction], of job: Job) {
        var recorded: Set<UniqueID> = []
        for case .emit(let event) in actions where recorded.insert(event.runID).inserted {
            if let run = job.run(event.runID) { record(.runChanged(jobID: job.id, run)) }
        }
    }

    private mutating func count(_ event: JobEvent) {
        switch event.payload {
        case .started: metrics.runsStarted += 1
        case .succeeded: metrics.runsEnded[.succeeded, default: 0] += 1
        case .failed: metrics.runsEnded[.failed, default: 0] += 1
        case .cancelled: metrics.runsEnded[.cancelled, default: 0] += 1
        case .timedOut: metrics.runsEnded[.timedOut, default: 0] += 1
        case .lost: metrics.runsEnded[.lost, default: 0] += 1
        case .queued, .progress, .cancelRequested, .end: break
        }
    }

    /// The worker has returned, whatever becomes of what it brought: its place is free. A fact that no failed commit
    /// takes back.
    mutating func workerReturned(_ runID: UniqueID) {
        busyRuns.remove(runID)
        metrics.busyWorkers = busyRuns.count
    }
}
