import Glibc
import Primitives
import SQLite

/// Brings a database up to date, one step of the schema after another.
///
/// Each step is one transaction, so that a database is always of one version; before each a backup is made, without which
/// it is not begun.
struct Migrator {
    /// Backups kept: the newest.
    static let backupsKept = 3

    private let connection: Connection
    private let directory: String
    private let steps: [Migration]

    init(_ connection: Connection, directory: String, steps: [Migration]) {
        (self.connection, self.directory, self.steps) = (connection, directory, steps)
    }

    /// - Throws: when a backup or a step fails; the database is then as the last step that succeeded left it.
    func migrate(at time: Timestamp) throws(StoreError) {
        let version = try storing { () throws(SQLiteError) in Int(try connection.pragma("user_version")) }
        for step in steps.dropFirst(version) {
            try backUp(version: step.version - 1, at: time)
            do throws(StoreError) {
                try apply(step)
            } catch {
                throw StoreError(
                    error.code,
                    "The database could not be brought from schema \(step.version - 1) to \(step.version) and is as "
                        + "it was. " + error.message, underlying: error.underlying)
            }
        }
    }

    private func apply(_ step: Migration) throws(StoreError) {
        try storing { () throws(SQLiteError) in
            do throws(SQLiteError) {
                try connection.execute("BEGIN IMMEDIATE")
                try connection.execute(step.sql)
                try connection.execute("PRAGMA user_version = \(step.version)")
                try connection.execute("COMMIT")
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
    }

    // MARK: Backups

    /// Writes a copy of the database that is complete and on the disk before it gets its name.
    private func backUp(version: Int, at time: Timestamp) throws(StoreError) {
        let stamp = String(time.description.filter { $0 != ":" })
        let path = "\(directory)/backup-\(stamp)-v\(version).db"
        let draft = path + ".new"
        DatabaseFile.remove(draft)
        do throws(StoreError) {
            try storing { () throws(SQLiteError) in
                let vacuum = try connection.prepare("VACUUM INTO ?")
                try vacuum.bind(draft)
                try vacuum.run()
            }
            DatabaseFile.restrict(draft)
            try DatabaseFile.synchronize(draft)
            guard unsafe rename(draft, path) == 0 else { throw StoreError(systemError: errno, "\(path) can't be made") }
            try DatabaseFile.synchronize(directory)
        } catch {
            DatabaseFile.remove(draft)
            throw StoreError(
                error.code, "No backup could be made, so the database is left at schema \(version). " + error.message,
                underlying: error.underlying)
        }
        removeOldBackups()
    }

    /// And drafts that were interrupted. Their names sort by time. One that can't be removed is only too many.
    private func removeOldBackups() {
        let names = FolderListing.names(in: directory).filter { $0.hasPrefix("backup-") }
        for name in names where name.hasSuffix(".db.new") { DatabaseFile.remove("\(directory)/\(name)") }
        for name in names.filter({ $0.hasSuffix(".db") }).sorted().dropLast(Self.backupsKept) {
            unsafe unlink("\(directory)/\(name)")
        }
    }
}
