import Jobs
import Primitives

/// What a store has to make of the changes, in memory, and by nothing but what the module tells a store.
struct RecordedJobs {
    fileprivate struct RecordedJob {
        var job: Job
        var serial: Int
        var version = 1
        var runs: [Run] = []
        var currentRunID: UniqueID?
        var lastOrdinal = 0
    }

    private var jobs: [UniqueID: RecordedJob] = [:]
    private var lastSerial = 0
    private var keys: [RecordedKey] = []
    private var tombstones: [UniqueID] = []
    /// Changes that make no sense to a store.
    private(set) var complaints: [String] = []
    /// Of each run, the number of its newest event. Never forgotten, also when the job is no longer kept.
    private(set) var lastSeqs: [UniqueID: Int] = [:]

    /// As a process gets them that comes after.
    var records: JobRecords {
        var records = JobRecords()
        records.jobs = jobs.values.sorted { $0.serial < $1.serial }.map(snapshot)
        (records.lastSerial, records.keys, records.tombstones) = (lastSerial, keys, tombstones)
        return records
    }

    private func snapshot(_ recorded: RecordedJob) -> JobSnapshot {
        let job = recorded.job
        return JobSnapshot(
            job: Job(
                id: job.id, kind: job.kind, input: job.input, timeout: job.timeout, createdAt: job.createdAt,
                runs: recorded.runs, currentRunID: recorded.currentRunID, lastOrdinal: recorded.lastOrdinal),
            version: recorded.version, serial: recorded.serial)
    }

    mutating func apply(_ change: JobRecordChange) {
        switch change {
        case .jobCreated(let job, let serial):
            if serial <= lastSerial { complaints.append("serial \(serial) behind \(lastSerial)") }
            if jobs[job.id] != nil || !job.runs.isEmpty { complaints.append("\(job.id) is not a new job") }
            lastSerial = serial
            jobs[job.id] = RecordedJob(job: job, serial: serial)
        case .runChanged(let jobID, let run):
            jobs[jobID]?.record(run.reloaded)
        case .currentRunChanged(let jobID, let runID, _):
            jobs[jobID]?.currentRunID = runID
        case .versionChanged(let jobID, let version):
            jobs[jobID]?.version = version
        case .eventAppended(let event):
            lastSeqs[event.runID] = event.seq
        case .runEvicted(let jobID, let runID):
            jobs[jobID]?.runs.removeAll { $0.id == runID }
            tombstones.append(runID)
        case .jobEvicted(let jobID, let runIDs):
            if jobs[jobID]?.runs.map(\.id) != runIDs { complaints.append("\(jobID) has other runs than \(runIDs)") }
            jobs[jobID] = nil
            tombstones += [jobID] + runIDs
        case .keyRemembered(let key, let receipt, let time):
            keys.append(RecordedKey(key, receipt, at: time))
        }
    }
}

extension RecordedJobs.RecordedJob {
    fileprivate mutating func record(_ run: Run) {
        if let index = runs.firstIndex(where: { $0.id == run.id }) {
            runs[index] = run
        } else {
            if runs.isEmpty, currentRunID == nil { currentRunID = run.id }
            runs.append(run)
            lastOrdinal = max(lastOrdinal, run.ordinal)
        }
    }
}

extension Run {
    /// Column by column, as from a table.
    fileprivate var reloaded: Run {
        Run(
            id: id, ordinal: ordinal, input: input, timeout: timeout, createdAt: createdAt, state: state,
            cancelReason: cancelReason, progress: progress, result: result, problem: problem,
            startedAt: startedAt, finishedAt: finishedAt, lastSeq: lastSeq)
    }
}
