import Jobs
import Primitives
import SQLite

extension Connection {
    /// The run as it is now. Its input is written once, and only where it is not the job's: it may be long, and a run
    /// changes with every report of its progress.
    func put(_ run: Run, of jobID: UniqueID) throws(SQLiteError) {
        guard let job = try serialAndLastOrdinal(of: jobID) else {
            throw SQLiteError(code: 19, message: "a run of a job that was not recorded", context: "\(jobID)")
        }
        try put(run, job: job.serial)
        guard run.ordinal > job.lastOrdinal else { return }
        let last = try statement("UPDATE jobs SET last_ordinal = ? WHERE serial = ?")
        try last.bind(Int64(run.ordinal))
        try last.bind(job.serial)
        try last.run()
        let input = try statement(
            """
            INSERT INTO run_inputs (job, ordinal, input)
            SELECT serial, ?2, ?3 FROM jobs WHERE serial = ?1 AND input <> ?3
            """)
        try input.bind(job.serial)
        try input.bind(Int64(run.ordinal))
        try input.bind(text: run.input.text)
        try input.run()
    }

    private func serialAndLastOrdinal(of jobID: UniqueID) throws(SQLiteError) -> (serial: Int64, lastOrdinal: Int)? {
        let select = try statement("SELECT serial, last_ordinal FROM jobs WHERE id = ?")
        try select.bind(jobID)
        guard try select.step() else { return nil }
        defer { select.reset() }
        return (select.integer(0), Int(select.integer(1)))
    }

    private func put(_ run: Run, job: Int64) throws(SQLiteError) {
        let put = try statement(
            """
            INSERT INTO runs (job, ordinal, id, timeout_seconds, timeout_attoseconds, created_at, state, cancel_cause,
                cancel_note, progress_current, progress_total, progress_unit, progress_message, result, problem_code,
                problem_message, started_at, finished_at, last_seq)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (job, ordinal) DO UPDATE SET
                state = excluded.state, cancel_cause = excluded.cancel_cause, cancel_note = excluded.cancel_note,
                progress_current = excluded.progress_current, progress_total = excluded.progress_total,
                progress_unit = excluded.progress_unit, progress_message = excluded.progress_message,
                result = excluded.result, problem_code = excluded.problem_code,
                problem_message = excluded.problem_message, started_at = excluded.started_at,
                finished_at = excluded.finished_at, last_seq = excluded.last_seq
            """)
        try put.bind(job)
        try put.bind(Int64(run.ordinal))
        try put.bind(run.id)
        try put.bind(run.timeout)
        try put.bind(run.createdAt)
        try put.bind(run.state.rawValue)
        try put.bind(run.cancelReason?.cause.rawValue)
        try put.bind(run.cancelReason?.note)
        try put.bind(run.progress.map { Int64($0.current) })
        try put.bind(run.progress?.total.map(Int64.init))
        try put.bind(run.progress?.unit)
        try put.bind(run.progress?.message)
        try put.bind(text: run.result?.text)
        try put.bind(run.problem?.code)
        try put.bind(run.problem?.message)
        try put.bind(run.startedAt)
        try put.bind(run.finishedAt)
        try put.bind(Int64(run.lastSeq))
        try put.run()
    }
}
