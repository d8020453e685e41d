import Primitives

/// Callers that hold on until a run is over. Confined to the engine's thread.
struct WaiterTable {
    private let limits: JobLimits
    private let clock: any Clock<Duration>
    private let post: EngineCore.Post
    private var waiters: [UniqueID: (waiter: Waiter, timer: Task<Void, Never>)] = [:]
    private var byJob: [UniqueID: Set<UniqueID>] = [:]

    init(limits: JobLimits, clock: any Clock<Duration>, post: @escaping EngineCore.Post) {
        self.limits = limits
        self.clock = clock
        self.post = post
    }

    var count: Int { waiters.count }

    /// Resumes the waiter at once when there is nothing to wait for, or no room.
    mutating func add(_ waiter: Waiter, _ job: (UniqueID) -> JobSnapshot?) {
        guard waiters.count < limits.maxWaiters, !waiter.isOver(job(waiter.jobID)) else {
            return waiter.resume()
        }
        let duration = min(waiter.duration, limits.maxWait)
        let timer = Task { [clock, post] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            post(.waitEnded(waiterID: waiter.id))
        }
        waiters[waiter.id] = (waiter, timer)
        byJob[waiter.jobID, default: []].insert(waiter.id)
    }

    /// Its time is over, or its caller was cancelled.
    mutating func end(_ id: UniqueID) {
        guard let (waiter, timer) = waiters.removeValue(forKey: id) else { return }
        timer.cancel()
        byJob[waiter.jobID]?.remove(id)
        if byJob[waiter.jobID]?.isEmpty == true { byJob[waiter.jobID] = nil }
        waiter.resume()
    }

    mutating func endAll() {
        for id in Array(waiters.keys) { end(id) }
    }

    mutating func resume(changed: Set<UniqueID>, _ job: (UniqueID) -> JobSnapshot?) {
        guard !waiters.isEmpty else { return }
        for jobID in changed {
            for id in byJob[jobID] ?? [] where waiters[id]?.waiter.isOver(job(jobID)) == true { end(id) }
        }
    }
}

extension Waiter {
    /// Also when the job or the run is no longer kept.
    fileprivate func isOver(_ job: JobSnapshot?) -> Bool {
        guard let job else { return true }
        guard let runID else { return job.job.isTerminal }
        return job.run(runID)?.state.isTerminal ?? true
    }
}
