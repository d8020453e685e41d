import SQLite

extension Connection {
    /// What the tables say of each other that can't be, in words; at most ``maxProblems`` of each kind.
    func consistencyProblems() throws(SQLiteError) -> [String] {
        var problems: [String] = []
        for check in Self.checks {
            let select = try prepare(check.sql + " LIMIT \(Self.maxProblems)")
            while try select.step() { problems.append("\(check.problem): \(select.text(0))") }
        }
        return problems
    }

    static let maxProblems = 10

    /// Each selects what is wrong.
    private static let checks: [(problem: String, sql: String)] = [
        ("a number is out of range", outOfRange),
        (
            "the events of a topic are not as many, as long or as new as it says",
            """
            SELECT coalesce(name, 'removed topic ' || key) FROM topics LEFT JOIN (
                SELECT topic, count(*) AS number, sum(length(fields)) AS size, max(position) AS last
                FROM events GROUP BY topic) ON topic = key
            WHERE name IS NOT NULL AND (events, bytes, newest)
                IS NOT (coalesce(number, 0), coalesce(size, 0), coalesce(last, 0))
            """
        ),
        (
            "a topic has events that it says are no longer kept",
            """
            SELECT name FROM topics WHERE evicted_through > 0 AND EXISTS (
                SELECT 1 FROM events WHERE topic = key AND position <= evicted_through)
            """
        ),
        ("a topic keeps more events than were published", "SELECT name FROM topics WHERE events > published"),
        (
            "an event's position was not given yet",
            "SELECT position FROM events WHERE position > (SELECT position FROM server)"
        ),
        (
            "a job has no current run, or newer ones than it knows of",
            """
            SELECT hex(id) FROM jobs
            WHERE NOT EXISTS (SELECT 1 FROM runs WHERE job = serial AND ordinal = current_ordinal)
                OR EXISTS (SELECT 1 FROM runs WHERE job = serial AND ordinal > last_ordinal)
            """
        ),
        (
            "a run is running and not its job's current one",
            """
            SELECT hex(runs.id) FROM runs JOIN jobs ON job = serial
            WHERE state = 'running' AND ordinal <> current_ordinal
            """
        ),
        (
            "a run has a state that there is not",
            """
            SELECT hex(id) || ' ' || state FROM runs WHERE state NOT IN
                ('queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled', 'timedOut', 'lost')
            """
        ),
        (
            "a run has a result and did not succeed, or the other way round",
            "SELECT hex(id) FROM runs WHERE (state = 'succeeded') <> (result IS NOT NULL)"
        ),
        (
            "an ID is in use and said to be no longer kept",
            """
            SELECT hex(id) FROM tombstones WHERE id IN (SELECT id FROM jobs) OR id IN (SELECT id FROM runs)
            """
        ),
    ]

    /// See ``RowBounds``.
    private static let outOfRange: String = {
        func isOut(_ columns: String...) -> String {
            columns.map { "\($0) NOT BETWEEN 0 AND \(RowBounds.maxNumber)" }.joined(separator: " OR ")
        }
        func isNoTime(_ columns: String...) -> String {
            columns.map { "\($0) NOT BETWEEN \(RowBounds.times.lowerBound) AND \(RowBounds.times.upperBound)" }.joined(
                separator: " OR ")
        }
        let timeout =
            "timeout_seconds NOT BETWEEN 0 AND \(RowBounds.timeoutSeconds.upperBound)"
            + " OR timeout_attoseconds NOT BETWEEN 0 AND \(RowBounds.attoseconds.upperBound)"
        return """
            SELECT 'server' FROM server
            WHERE \(isOut("position", "removed_through")) OR \(isNoTime("created_at"))
            UNION ALL SELECT 'newest of ' || name FROM sqlite_sequence WHERE \(isOut("seq"))
            UNION ALL SELECT 'job ' || hex(id) FROM jobs
            WHERE \(isOut("serial", "current_ordinal", "last_ordinal", "version")) OR \(isNoTime("created_at"))
                OR \(timeout)
            UNION ALL SELECT 'run ' || hex(id) FROM runs
            WHERE \(isOut("ordinal", "last_seq")) OR \(isNoTime("created_at", "started_at", "finished_at"))
                OR \(timeout)
            UNION ALL SELECT 'idempotency key ' || key FROM idempotency_keys
            WHERE \(isOut("ordinal")) OR \(isNoTime("time"))
            UNION ALL SELECT 'topic ' || coalesce(name, key) FROM topics
            WHERE \(isOut("events", "bytes", "published", "newest", "evicted_through", "withdrawn_below"))
            UNION ALL SELECT 'event ' || position FROM events WHERE \(isOut("position", "tag")) OR \(isNoTime("time"))
            """
    }()

    func foreignKeyProblems() throws(SQLiteError) -> [String] {
        let select = try prepare(
            "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT \(Self.maxProblems)")
        var problems: [String] = []
        while try select.step() {
            problems.append("row \(select.integer(1)) of \(select.text(0)) is without its row of \(select.text(2))")
        }
        return problems
    }

    /// What SQLite finds wrong with the file.
    func integrityProblems() throws(SQLiteError) -> [String] {
        let select = try prepare("PRAGMA integrity_check(\(Self.maxProblems))")
        var problems: [String] = []
        while try select.step() { problems.append(select.text(0)) }
        return problems == ["ok"] ? [] : problems
    }
}
