import Primitives
import SQLite

extension Store {
    /// Looks at all that a directory has, and checks it; changes nothing. A server may use the directory meanwhile.
    ///
    /// Reads the whole database: seconds for a gigabyte.
    /// - Throws: when there is no database, or it is not ours to open, or too damaged to be read at all.
    public static func examine(_ directory: String) throws(StoreError) -> StoreReport {
        let path = DataDirectory.databasePath(in: directory)
        // Before the connection makes some of its own.
        let files = files(of: directory)
        let connection = try Database.openForReading(path)
        let holder = try DataDirectory.holder(of: directory)
        return try storing { () throws(SQLiteError) in
            // All that is read from here on is of one moment.
            try connection.execute("BEGIN")
            let server = try connection.prepare("SELECT epoch, position, created_at FROM server")
            guard try server.step() else {
                throw SQLiteError(code: 11, message: "no row in the table server", context: path)
            }
            return StoreReport(
                directory: directory, files: files, holder: holder,
                schemaVersion: Int(try connection.pragma("user_version")), epoch: server.text(0),
                position: UInt64(clamping: server.integer(1)),
                createdAt: server.time(2), usedBytes: try connection.usedBytes(),
                jobs: try connection.counts(
                    "SELECT state, count(*) FROM jobs JOIN runs ON job = serial AND ordinal = current_ordinal GROUP BY 1"
                ),
                runs: try connection.counts("SELECT state, count(*) FROM runs GROUP BY 1"),
                idempotencyKeys: try connection.count("SELECT count(*) FROM idempotency_keys"),
                tombstones: try connection.count("SELECT count(*) FROM tombstones"),
                openTopics: try connection.openTopicReports(), jobTopics: try connection.jobTopicsReport(),
                removedTopics: try connection.count("SELECT count(*) FROM topics WHERE name IS NULL"),
                problems: problems(connection.integrityProblems) + problems(connection.foreignKeyProblems)
                    + problems(connection.consistencyProblems) + recordsProblem(connection))
        }
    }

    /// What a check finds, or why it can't be made.
    private static func problems(_ find: () throws(SQLiteError) -> [String]) -> [String] {
        do throws(SQLiteError) { return try find() } catch { return ["a part can't be read: \(error.message)"] }
    }

    /// Whether jobs can be read as a start does.
    private static func recordsProblem(_ connection: Connection) -> [String] {
        do throws(StoreError) {
            _ = try connection.jobRecords()
            return []
        } catch {
            return ["the jobs can't be read: \(error.underlying ?? error.message)"]
        }
    }

    private static func files(of directory: String) -> [StoreReport.File] {
        FolderListing.names(in: directory).sorted()
            .filter { $0.hasPrefix("runcast.db") || $0.hasPrefix("backup-") || $0 == "lock" }
            .map { StoreReport.File(name: $0, bytes: FolderListing.size(of: "\(directory)/\($0)")) }
    }
}

extension Connection {
    fileprivate func count(_ sql: String) throws(SQLiteError) -> Int {
        let select = try prepare(sql)
        return try select.step() ? Int(select.integer(0)) : 0
    }

    fileprivate func counts(_ sql: String) throws(SQLiteError) -> [String: Int] {
        let select = try prepare(sql)
        var counts: [String: Int] = [:]
        while try select.step() { counts[select.text(0)] = Int(select.integer(1)) }
        return counts
    }

    fileprivate func openTopicReports() throws(SQLiteError) -> [StoreReport.Topic] {
        let select = try prepare(
            """
            SELECT name, events, bytes, published,
                (SELECT time FROM events WHERE topic = key ORDER BY position LIMIT 1),
                (SELECT time FROM events WHERE position = newest)
            FROM topics WHERE is_open = 1 AND name IS NOT NULL ORDER BY name
            """)
        var topics: [StoreReport.Topic] = []
        while try select.step() {
            topics.append(
                StoreReport.Topic(
                    name: select.text(0), events: Int(select.integer(1)), bytes: Int(select.integer(2)),
                    published: Int(select.integer(3)), first: select.optionalTime(4), last: select.optionalTime(5)))
        }
        return topics
    }

    fileprivate func jobTopicsReport() throws(SQLiteError) -> StoreReport.Total {
        let select = try prepare(
            """
            SELECT count(*), total(events), total(bytes) FROM topics
            WHERE is_open = 0 AND name IS NOT NULL
            """)
        guard try select.step() else { return StoreReport.Total(topics: 0, events: 0, bytes: 0) }
        return StoreReport.Total(
            topics: Int(select.integer(0)), events: Int(select.integer(1)), bytes: Int(select.integer(2)))
    }
}
