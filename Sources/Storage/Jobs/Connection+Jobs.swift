import Jobs
import Primitives
import SQLite

extension Connection {
    /// A job without its runs; the first run, which has the ordinal 1, will be its current one.
    func insert(_ job: Job, serial: Int) throws(SQLiteError) {
        let insert = try statement(
            """
            INSERT INTO jobs (serial, id, kind, input, timeout_seconds, timeout_attoseconds, created_at,
                current_ordinal, last_ordinal, version)
            VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0, 1)
            """)
        try insert.bind(Int64(serial))
        try insert.bind(job.id)
        try insert.bind(job.kind)
        try insert.bind(text: job.input.text)
        try insert.bind(job.timeout)
        try insert.bind(job.createdAt)
        try insert.run()
    }

    func setCurrent(_ ordinal: Int, of jobID: UniqueID) throws(SQLiteError) {
        let update = try statement("UPDATE jobs SET current_ordinal = ? WHERE id = ?")
        try update.bind(Int64(ordinal))
        try update.bind(jobID)
        try update.run()
    }

    func setVersion(_ version: Int, of jobID: UniqueID) throws(SQLiteError) {
        let update = try statement("UPDATE jobs SET version = ? WHERE id = ?")
        try update.bind(Int64(version))
        try update.bind(jobID)
        try update.run()
    }

    func deleteRun(_ runID: UniqueID, of jobID: UniqueID) throws(SQLiteError) {
        let input = try statement(
            """
            DELETE FROM run_inputs WHERE (job, ordinal) IN (
                SELECT job, ordinal FROM runs WHERE job = (SELECT serial FROM jobs WHERE id = ?) AND id = ?)
            """)
        try input.bind(jobID)
        try input.bind(runID)
        try input.run()
        let run = try statement("DELETE FROM runs WHERE job = (SELECT serial FROM jobs WHERE id = ?) AND id = ?")
        try run.bind(jobID)
        try run.bind(runID)
        try run.run()
    }

    /// With all its runs.
    func deleteJob(_ id: UniqueID) throws(SQLiteError) {
        for sql: StaticString in [
            "DELETE FROM run_inputs WHERE job = (SELECT serial FROM jobs WHERE id = ?)",
            "DELETE FROM runs WHERE job = (SELECT serial FROM jobs WHERE id = ?)",
            "DELETE FROM jobs WHERE id = ?",
        ] {
            let delete = try statement(sql)
            try delete.bind(id)
            try delete.run()
        }
    }

    /// Remembers that the ID was in use, and forgets the oldest beyond the bound.
    func bury(_ id: UniqueID, keeping bound: Int) throws(SQLiteError) {
        let insert = try statement("INSERT OR REPLACE INTO tombstones (id) VALUES (?)")
        try insert.bind(id)
        try insert.run()
        let trim = try statement("DELETE FROM tombstones WHERE number <= ?")
        try trim.bind(lastInsertedRow - Int64(bound))
        try trim.run()
    }

    /// Remembers the first answer to a key, and forgets the oldest keys beyond the bound.
    func remember(
        _ key: IdempotencyKey, _ receipt: StartReceipt, at time: Timestamp, keeping bound: Int
    ) throws(SQLiteError) {
        let insert = try statement(
            """
            INSERT OR REPLACE INTO idempotency_keys
                (key, fingerprint, time, disposition, job, kind, run, ordinal, state, replaces)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try insert.bind(key.key)
        try insert.bind(key.fingerprint)
        try insert.bind(time)
        try insert.bind(receipt.disposition.rawValue)
        try insert.bind(receipt.jobID)
        try insert.bind(receipt.kind)
        try insert.bind(receipt.runID)
        try insert.bind(Int64(receipt.ordinal))
        try insert.bind(receipt.state.rawValue)
        try insert.bind(receipt.replaces)
        try insert.run()
        let trim = try statement("DELETE FROM idempotency_keys WHERE number <= ?")
        try trim.bind(lastInsertedRow - Int64(bound))
        try trim.run()
    }
}
