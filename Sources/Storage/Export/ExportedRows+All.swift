/// The lines of an export, each a JSON object with one member that says what the line is about:
///
///     {"export":{"format":1,"epoch":"d4k2…","position":812,…}}    the first
///     {"job":{…}}, {"run":{…}}, {"input":{…}}                     jobs, their runs, inputs of runs that are not their job's
///     {"key":{…}}, {"tombstone":{…}}                              idempotency keys; IDs of what is no longer kept
///     {"topic":{…}}, {"event":{…}}                                events in the order of their positions
///     {"end":{"lines":93}}                                        the last, with the number of lines before it
///
/// Times are milliseconds since 1970, IDs are UUIDs, durations are seconds and attoseconds. An event that was withdrawn has
/// no `fields`.
extension ExportedRows {
    static let format = 1

    static let all = [jobs, runs, inputs, keys, tombstones, topics, events]

    private static let jobs = ExportedRows(
        subject: "job", table: "jobs",
        columns: [
            Column("serial", .integer), Column("id", .id), Column("kind", .text), Column("input", .json),
            Column("timeoutSeconds", .integer, "timeout_seconds", optional: true),
            Column("timeoutAttoseconds", .integer, "timeout_attoseconds", optional: true),
            Column("createdAt", .integer, "created_at"), Column("currentOrdinal", .integer, "current_ordinal"),
            Column("lastOrdinal", .integer, "last_ordinal"), Column("version", .integer),
        ], clauses: "ORDER BY serial")

    private static let runs = ExportedRows(
        subject: "run", table: "runs",
        columns: [
            Column("job", .integer), Column("ordinal", .integer), Column("id", .id),
            Column("timeoutSeconds", .integer, "timeout_seconds", optional: true),
            Column("timeoutAttoseconds", .integer, "timeout_attoseconds", optional: true),
            Column("createdAt", .integer, "created_at"), Column("state", .text),
            Column("cancelCause", .text, "cancel_cause", optional: true),
            Column("cancelNote", .text, "cancel_note", optional: true),
            Column("progressCurrent", .integer, "progress_current", optional: true),
            Column("progressTotal", .integer, "progress_total", optional: true),
            Column("progressUnit", .text, "progress_unit", optional: true),
            Column("progressMessage", .text, "progress_message", optional: true),
            Column("result", .json, optional: true), Column("problemCode", .text, "problem_code", optional: true),
            Column("problemMessage", .text, "problem_message", optional: true),
            Column("startedAt", .integer, "started_at", optional: true),
            Column("finishedAt", .integer, "finished_at", optional: true), Column("lastSeq", .integer, "last_seq"),
        ], clauses: "ORDER BY job, ordinal")

    private static let inputs = ExportedRows(
        subject: "input", table: "run_inputs",
        columns: [Column("job", .integer), Column("ordinal", .integer), Column("input", .json)],
        clauses: "ORDER BY job, ordinal")

    private static let keys = ExportedRows(
        subject: "key", table: "idempotency_keys",
        columns: [
            Column("key", .text), Column("fingerprint", .text), Column("time", .integer), Column("disposition", .text),
            Column("job", .id), Column("kind", .text), Column("run", .id), Column("ordinal", .integer),
            Column("state", .text), Column("replaces", .id, optional: true),
        ], clauses: "ORDER BY number")

    private static let tombstones = ExportedRows(
        subject: "tombstone", table: "tombstones", columns: [Column("id", .id)], clauses: "ORDER BY number")

    private static let topics = ExportedRows(
        subject: "topic", table: "topics",
        columns: [
            Column("key", .integer), Column("name", .text), Column("isOpen", .flag, "is_open"),
            Column("published", .integer), Column("evictedThrough", .integer, "evicted_through"),
            Column("withdrawnBelow", .integer, "withdrawn_below"),
        ], clauses: "WHERE name IS NOT NULL ORDER BY key",
        constants: ["events": 0, "bytes": 0, "newest": 0])

    private static let events = ExportedRows(
        subject: "event", table: "events",
        columns: [
            Column("position", .integer), Column("topic", .integer), Column("time", .integer),
            Column("id", .text, "own_id", optional: true), Column("isJSON", .flag, "is_json"), Column("tag", .integer),
            Column("fields", .bytes, optional: true),
        ], clauses: "JOIN topics ON key = topic AND name IS NOT NULL ORDER BY position",
        replacements: ["fields": "CASE WHEN tag > 0 AND tag < withdrawn_below THEN NULL ELSE fields END"])
}
