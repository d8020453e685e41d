public import Jobs
public import Primitives
import SQLite

extension Recording {
    /// Records a change of a job.
    ///
    /// Two of them have a part that only the caller can do, since it knows what topics there are: an event is appended
    /// with ``append(_:to:)``, nothing is done for it here; and what is overtaken (see ``unfinishedRuns(of:below:)``) or
    /// evicted is withdrawn or removed with its topic.
    public mutating func apply(_ change: JobRecordChange) throws(StoreError) {
        try storing { () throws(SQLiteError) in
            switch change {
            case .jobCreated(let job, let serial): try connection.insert(job, serial: serial)
            case .runChanged(let jobID, let run): try connection.put(run, of: jobID)
            case .currentRunChanged(let jobID, _, let ordinal): try connection.setCurrent(ordinal, of: jobID)
            case .versionChanged(let jobID, let version): try connection.setVersion(version, of: jobID)
            case .eventAppended: break
            case .runEvicted(let jobID, let runID):
                try connection.deleteRun(runID, of: jobID)
                try connection.bury(runID, keeping: limits.maxTombstones)
            case .jobEvicted(let jobID, let runIDs):
                try connection.deleteJob(jobID)
                for id in [jobID] + runIDs { try connection.bury(id, keeping: limits.maxTombstones) }
            case .keyRemembered(let key, let receipt, let time):
                try connection.remember(key, receipt, at: time, keeping: limits.maxIdempotencyKeys)
            }
        }
    }

    /// The runs of a job that are older than the one with this ordinal and not over, by their ordinals: what is to be
    /// withdrawn when that becomes the current one.
    public func unfinishedRuns(of jobID: UniqueID, below ordinal: Int) throws(StoreError) -> [UniqueID] {
        try storing { () throws(SQLiteError) in
            let select = try connection.statement(
                """
                SELECT id FROM runs
                WHERE job = (SELECT serial FROM jobs WHERE id = ?) AND ordinal < ?
                    AND state IN ('queued', 'running', 'cancelling')
                ORDER BY ordinal
                """)
            try select.bind(jobID)
            try select.bind(Int64(ordinal))
            var runs: [UniqueID] = []
            while try select.step() {
                if let id = UniqueID(blob: select.bytes(0)) { runs.append(id) }
            }
            return runs
        }
    }
}
