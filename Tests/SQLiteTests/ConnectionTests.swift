import SQLite
import Testing

struct ConnectionTests {
    private func failure(_ body: () throws -> Void) -> SQLiteError? {
        do {
            try body()
            return nil
        } catch { return error as? SQLiteError }
    }

    @Test func `rows come one by one, and a kept statement can be run again`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(
            "CREATE TABLE numbers (value INTEGER NOT NULL); INSERT INTO numbers VALUES (1), (2), (3)")
        for bound in 1...3 as ClosedRange<Int64> {
            let select = try statement(connection)
            try select.bind(bound)
            var values: [Int64] = []
            while try select.step() { values.append(select.integer(0)) }
            #expect(values == Array(1...bound))
        }
        let left = try statement(connection)
        try left.bind(3)
        #expect(try left.step())
        // Given out again with a row unread, it starts anew.
        let again = try statement(connection)
        try again.bind(1)
        #expect(try again.step())
        #expect(again.integer(0) == 1)
        #expect(try !again.step())
    }

    private func statement(_ connection: Connection) throws(SQLiteError) -> Statement {
        try connection.statement("SELECT value FROM numbers WHERE value <= ? ORDER BY value")
    }

    @Test func `a failure tells what it was and where`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE once (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
        try connection.execute("INSERT INTO once VALUES (1, 'a')")
        let twice = failure { try connection.execute("INSERT INTO once VALUES (1, 'b')") }
        #expect(twice?.kind == .constraint)
        #expect(twice?.context == "INSERT INTO once VALUES (1, 'b')")
        #expect(failure { try connection.execute("SELECT missing") }?.message == "no such column: missing")
        let insert = try connection.prepare("INSERT INTO once VALUES (2, ?)")
        try insert.bindNull()
        #expect(failure { try insert.run() }?.kind == .constraint)
        try insert.bind("after a failure")
        try insert.run()
        #expect(connection.changes == 1)
        #expect(connection.lastInsertedRow == 2)
        #expect(
            failure {
                try insert.bind("1"); try insert.bind("one too many")
            }?.code == 25)
    }

    @Test func `a file that is not there is made only when that is asked for`() throws {
        let path = "/nowhere/at/all.db"
        #expect(failure { _ = try Connection(path: path, mode: .readOnly) }?.kind == .cannotOpen)
        #expect(failure { _ = try Connection(path: path, mode: .create) }?.kind == .cannotOpen)
    }

    @Test func `a transaction that SQLite took back is over`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT; BEGIN; INSERT INTO t VALUES (1)")
        #expect(connection.isInTransaction)
        #expect(failure { try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }?.kind == .constraint)
        #expect(!connection.isInTransaction)
    }
}
