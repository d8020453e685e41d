import Jobs
import Primitives
import SQLite

/// A job as its row has it, without its runs.
struct JobRow {
    static let select = """
        SELECT serial, id, kind, input, timeout_seconds, timeout_attoseconds, created_at, current_ordinal, last_ordinal,
            version
        FROM jobs ORDER BY serial
        """

    let serial: Int64
    let id: UniqueID
    let kind: String
    let input: JSONValue
    let timeout: Duration?
    let createdAt: Timestamp
    let currentOrdinal: Int
    let lastOrdinal: Int
    let version: Int

    init(_ row: Statement) throws(StoreError) {
        serial = try row.number(0, of: "a job")
        guard let id = UniqueID(blob: row.bytes(1)), let input = JSONValue(text: row.bytes(3)) else {
            throw .damaged("job \(serial)")
        }
        (self.id, self.input) = (id, input)
        (kind, timeout) = (row.text(2), try row.duration(4, of: "job \(id)"))
        createdAt = row.time(6)
        currentOrdinal = Int(try row.number(7, of: "job \(id)"))
        lastOrdinal = Int(try row.number(8, of: "job \(id)"))
        version = Int(try row.number(9, of: "job \(id)"))
    }

    /// - Parameter runs: in ascending order of their ordinals.
    func snapshot(with runs: [Run]) throws(StoreError) -> JobSnapshot {
        guard let current = runs.first(where: { $0.ordinal == currentOrdinal }) else {
            throw .damaged("job \(id) has no run \(currentOrdinal)")
        }
        guard let newest = runs.last, newest.ordinal <= lastOrdinal else {
            throw .damaged("job \(id) has newer runs than it knows of")
        }
        let job = Job(
            id: id, kind: kind, input: input, timeout: timeout, createdAt: createdAt, runs: runs,
            currentRunID: current.id, lastOrdinal: lastOrdinal)
        return JobSnapshot(job: job, version: version, serial: Int(serial))
    }
}
