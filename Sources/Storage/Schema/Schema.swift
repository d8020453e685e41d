/// The tables, as a list of steps that each take a database from one version to the next.
///
/// A step that was released is never changed: databases out there were made by it.
enum Schema {
    /// In the header of our database files (PRAGMA application_id): "RnCs".
    static let applicationID: Int64 = 0x526E_4373

    static let steps: [Migration] = [Migration(version: 1, sql: first)]

    /// Times are milliseconds since 1970, IDs the 16 bytes of a UUID. Durations are seconds and attoseconds, so that they
    /// come back as they were. JSON is the text that ``JSONValue/text`` writes.
    private static let first = """
        CREATE TABLE server (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL,
            position INTEGER NOT NULL,
            -- No event of a topic of clients' that was removed is newer.
            removed_through INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE jobs (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            input TEXT NOT NULL,
            timeout_seconds INTEGER,
            timeout_attoseconds INTEGER,
            created_at INTEGER NOT NULL,
            current_ordinal INTEGER NOT NULL,
            last_ordinal INTEGER NOT NULL,
            version INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE runs (
            job INTEGER NOT NULL REFERENCES jobs (serial),
            ordinal INTEGER NOT NULL,
            id BLOB NOT NULL,
            timeout_seconds INTEGER,
            timeout_attoseconds INTEGER,
            created_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            cancel_cause TEXT,
            cancel_note TEXT,
            progress_current INTEGER,
            progress_total INTEGER,
            progress_unit TEXT,
            progress_message TEXT,
            result TEXT,
            problem_code TEXT,
            problem_message TEXT,
            started_at INTEGER,
            finished_at INTEGER,
            last_seq INTEGER NOT NULL,
            PRIMARY KEY (job, ordinal)
        ) STRICT;

        CREATE TABLE run_inputs (
            job INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            input TEXT NOT NULL,
            PRIMARY KEY (job, ordinal),
            FOREIGN KEY (job, ordinal) REFERENCES runs (job, ordinal)
        ) STRICT;

        CREATE TABLE idempotency_keys (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            fingerprint TEXT NOT NULL,
            time INTEGER NOT NULL,
            disposition TEXT NOT NULL,
            job BLOB NOT NULL,
            kind TEXT NOT NULL,
            run BLOB NOT NULL,
            ordinal INTEGER NOT NULL,
            state TEXT NOT NULL,
            replaces BLOB
        ) STRICT;

        CREATE TABLE tombstones (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE topics (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT UNIQUE,
            is_open INTEGER NOT NULL,
            events INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            published INTEGER NOT NULL,
            newest INTEGER NOT NULL,
            evicted_through INTEGER NOT NULL,
            withdrawn_below INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX open_topics ON topics (name) WHERE is_open = 1;

        CREATE TABLE events (
            position INTEGER PRIMARY KEY,
            topic INTEGER NOT NULL REFERENCES topics (key),
            time INTEGER NOT NULL,
            own_id TEXT,
            is_json INTEGER NOT NULL,
            tag INTEGER NOT NULL,
            fields BLOB NOT NULL
        ) STRICT;
        CREATE INDEX events_of_topic ON events (topic, position);
        CREATE INDEX events_by_own_id ON events (topic, own_id) WHERE own_id IS NOT NULL;
        """
}

/// One step from a version of the schema to the next.
struct Migration: Sendable {
    /// The version that the database has afterwards; the steps count 1, 2, ...
    let version: Int
    /// Statements separated by semicolons, run in one transaction.
    let sql: String
}
