import Jobs
import Primitives
import SQLite

/// How a run is read from its row.
enum RunRow {
    static let select = """
        SELECT runs.job, runs.ordinal, id, timeout_seconds, timeout_attoseconds, created_at, state, cancel_cause,
            cancel_note, progress_current, progress_total, progress_unit, progress_message, result, problem_code,
            problem_message, started_at, finished_at, last_seq, input
        FROM runs LEFT JOIN run_inputs ON run_inputs.job = runs.job AND run_inputs.ordinal = runs.ordinal
        ORDER BY runs.job, runs.ordinal
        """
    static let jobColumn: Int32 = 0

    static func run(_ row: Statement, of job: JobRow) throws(StoreError) -> Run {
        let ordinal = Int(try row.number(1, of: "a run of job \(job.id)"))
        guard let id = UniqueID(blob: row.bytes(2)), let state = RunState(rawValue: row.text(6)) else {
            throw .damaged("run \(ordinal) of job \(job.id)")
        }
        return Run(
            id: id, ordinal: ordinal, input: try json(row, 19) ?? job.input,
            timeout: try row.duration(3, of: "run \(id)"), createdAt: row.time(5), state: state,
            cancelReason: try cancelReason(row), progress: progress(row), result: try json(row, 13),
            problem: problem(row), startedAt: row.optionalTime(16), finishedAt: row.optionalTime(17),
            lastSeq: Int(try row.number(18, of: "run \(id)")))
    }

    private static func cancelReason(_ row: Statement) throws(StoreError) -> CancelReason? {
        guard let text = row.optionalText(7) else { return nil }
        guard let cause = CancelReason.Cause(rawValue: text) else { throw .damaged("a cancel for \(text)") }
        return CancelReason(cause, note: row.optionalText(8))
    }

    private static func progress(_ row: Statement) -> RunProgress? {
        guard let current = row.optionalInteger(9) else { return nil }
        return RunProgress(
            current: Int(current), total: row.optionalInteger(10).map(Int.init), unit: row.optionalText(11),
            message: row.optionalText(12))
    }

    private static func problem(_ row: Statement) -> RunProblem? {
        guard let code = row.optionalText(14) else { return nil }
        return RunProblem(code: code, message: row.text(15))
    }

    private static func json(_ row: Statement, _ column: Int32) throws(StoreError) -> JSONValue? {
        guard let text = row.optionalBytes(column) else { return nil }
        guard let value = JSONValue(text: text) else { throw .damaged("JSON of run \(row.integer(1))") }
        return .some(value)
    }
}
