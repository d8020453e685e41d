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
        serial = row.integer(0)
        guard let id = UniqueID(blob: row.bytes(1)), let input = JSONValue(text: row.bytes(3)) else {
            throw .damaged("job \(row.integer(0))")
        }
        (self.id, self.input) = (id, input)
        (kind, timeout) = (row.text(2), row.duration(4))
        createdAt = Timestamp(millisecondsSinceEpoch: row.integer(6))
        (currentOrdinal, lastOrdinal, version) = (Int(row.integer(7)), Int(row.integer(8)), Int(row.integer(9)))
    }

    /// - Parameter runs: in ascending order of their ordinals.
    func snapshot(with runs: [Run]) throws(StoreError) -> JobSnapshot {
        guard let current = runs.first(where: { $0.ordinal == currentOrdinal }) else {
            throw .damaged("job \(id) has no run \(currentOrdinal)")
        }
        let job = Job(
            id: id, kind: kind, input: input, timeout: timeout, createdAt: createdAt, runs: runs,
            currentRunID: current.id, lastOrdinal: lastOrdinal)
        return JobSnapshot(job: job, version: version, serial: Int(serial))
    }
}
