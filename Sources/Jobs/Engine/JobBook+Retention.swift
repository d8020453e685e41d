import Primitives

extension JobBook {
    /// Jobs that one step of ``dropExpired(behind:at:)`` looks at.
    static let jobsPerStep = 1_024
    /// Jobs that one step drops at most: what is recorded of them may take the store a while to delete.
    static let dropsPerStep = 64

    /// There may be something to drop.
    var hasFinishedJobs: Bool {
        RunState.allCases.contains { $0.isTerminal && metrics.jobsByState[$0, default: 0] > 0 }
    }

    /// Drops the oldest settled jobs until `jobs` more and `bytes` more fit, or nothing at all.
    /// - Parameter spared: stays, even if it is settled.
    mutating func makeRoom(forJobs jobs: Int, bytes: Int, sparing spared: UniqueID? = nil) throws(JobError) {
        let (victims, isEnough) = oldestSettledJobs(toFit: jobs, bytes, sparing: spared)
        guard isEnough else {
            throw JobError(
                .tooManyJobs,
                bytes > limits.maxBytes
                    ? "The job takes more than the \(limits.maxBytes) bytes that all jobs together may take."
                    : "Too many jobs are under way. Try again later.",
                retryAfter: bytes > limits.maxBytes ? nil : limits.queueFullRetryHint)
        }
        for victim in victims { drop(victim) }
    }

    /// Drops the oldest settled jobs while there is too much of them.
    mutating func dropSurplus(sparing spared: UniqueID) {
        for victim in oldestSettledJobs(toFit: 0, 0, sparing: spared).victims { drop(victim) }
    }

    /// Drops settled jobs that are over for too long, or too many, in steps, so that nobody waits for long.
    /// - Parameter serial: where the step before came to; 0 for the first.
    /// - Returns: where this one came to; nil at the end.
    mutating func dropExpired(behind serial: Int, at moment: Moment) -> Int? {
        let step = order.entries[order.firstIndex(notBelow: serial + 1)...].prefix(Self.jobsPerStep)
        let isLast = step.endIndex == order.entries.endIndex
        var (last, drops) = (serial, 0)
        for entry in step {
            if drops == Self.dropsPerStep { return last }
            last = entry.serial
            guard let snapshot = jobs[entry.id], let settledAt = snapshot.job.settledAt else { continue }
            let isSurplus = jobs.count > limits.maxJobs || metrics.keptBytes > limits.maxBytes
            guard isSurplus || settledAt.duration(to: moment.wall) > limits.keepFinishedFor else { continue }
            drop(snapshot)
            drops += 1
        }
        return isLast ? nil : last
    }

    /// The search passes only jobs that are under way, whose number the queue bounds.
    private func oldestSettledJobs(
        toFit addedJobs: Int, _ addedBytes: Int, sparing spared: UniqueID?
    ) -> (victims: [JobSnapshot], isEnough: Bool) {
        var surplusJobs = jobs.count + addedJobs - limits.maxJobs
        var surplusBytes = metrics.keptBytes + addedBytes - limits.maxBytes
        var victims: [JobSnapshot] = []
        if surplusJobs <= 0, surplusBytes <= 0 { return ([], true) }
        for entry in order.entries where entry.id != spared {
            guard let snapshot = jobs[entry.id], snapshot.job.isSettled else { continue }
            victims.append(snapshot)
            surplusJobs -= 1
            surplusBytes -= snapshot.job.bytes
            if surplusJobs <= 0, surplusBytes <= 0 { return (victims, true) }
        }
        return (victims, false)
    }

    private mutating func drop(_ snapshot: JobSnapshot) {
        remove(snapshot)
        let runIDs = snapshot.runs.map(\.id)
        for id in [snapshot.id] + runIDs { bury(id) }
        record(.jobEvicted(snapshot.id, runIDs: runIDs))
        then(.jobEvicted(snapshot.id, runIDs: runIDs))
    }
}
