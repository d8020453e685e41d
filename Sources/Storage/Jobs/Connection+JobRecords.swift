import Jobs
import Primitives
import SQLite

extension Connection {
    /// All that is recorded of jobs.
    /// - Throws: `corrupt` when it can't be what was recorded.
    func jobRecords() throws(StoreError) -> JobRecords {
        var records = JobRecords()
        records.jobs = try jobSnapshots()
        let last = try storing { () throws(SQLiteError) in
            try prepare("SELECT max(seq) FROM sqlite_sequence WHERE name = 'jobs'")
        }
        while try storing({ () throws(SQLiteError) in try last.step() }) {
            records.lastSerial = Int(try last.number(0, of: "the newest job"))
        }
        records.keys = try recordedKeys()
        records.tombstones = try tombstones()
        return records
    }

    /// The jobs and their runs are read side by side, each in the order of their serials.
    private func jobSnapshots() throws(StoreError) -> [JobSnapshot] {
        var snapshots: [JobSnapshot] = []
        let (jobs, runs) = try storing { () throws(SQLiteError) in
            (try prepare(JobRow.select), try prepare(RunRow.select))
        }
        var run = try storing { () throws(SQLiteError) in try runs.step() }
        while try storing({ () throws(SQLiteError) in try jobs.step() }) {
            let job = try JobRow(jobs)
            var ownRuns: [Run] = []
            while run, runs.integer(RunRow.jobColumn) == job.serial {
                ownRuns.append(try RunRow.run(runs, of: job))
                run = try storing { () throws(SQLiteError) in try runs.step() }
            }
            snapshots.append(try job.snapshot(with: ownRuns))
        }
        guard !run else { throw .damaged("a run without a job: \(runs.integer(RunRow.jobColumn))") }
        return snapshots
    }

    private func recordedKeys() throws(StoreError) -> [RecordedKey] {
        var keys: [RecordedKey] = []
        let select = try storing { () throws(SQLiteError) in
            try prepare(
                """
                SELECT key, fingerprint, time, disposition, job, kind, run, ordinal, state, replaces
                FROM idempotency_keys ORDER BY number
                """)
        }
        while try storing({ () throws(SQLiteError) in try select.step() }) {
            guard let disposition = StartReceipt.Disposition(rawValue: select.text(3)),
                let jobID = UniqueID(blob: select.bytes(4)), let runID = UniqueID(blob: select.bytes(6)),
                let state = RunState(rawValue: select.text(8))
            else { throw .damaged("idempotency key \(select.text(0))") }
            let receipt = StartReceipt(
                disposition: disposition, jobID: jobID, kind: select.text(5), runID: runID,
                ordinal: Int(try select.number(7, of: "idempotency key \(select.text(0))")), state: state,
                replaces: select.optionalBytes(9).flatMap(UniqueID.init(blob:)))
            keys.append(
                RecordedKey(
                    IdempotencyKey(select.text(0), fingerprint: select.text(1)), receipt,
                    at: select.time(2)))
        }
        return keys
    }

    private func tombstones() throws(StoreError) -> [UniqueID] {
        try storing { () throws(SQLiteError) in
            var ids: [UniqueID] = []
            let select = try prepare("SELECT id FROM tombstones ORDER BY number")
            while try select.step() {
                if let id = UniqueID(blob: select.bytes(0)) { ids.append(id) }
            }
            return ids
        }
    }
}

extension StoreError {
    /// A row can't be what was written there.
    static func damaged(_ what: String) -> StoreError {
        StoreError(
            .corrupt, "The store is damaged. Keep its files, and restore a backup or an export.", underlying: what)
    }
}
