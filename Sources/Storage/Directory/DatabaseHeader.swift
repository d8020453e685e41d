import Glibc

/// The first bytes of a database file (sqlite.org/fileformat2.html, section 1.3), read without SQLite, which would take
/// an empty file for an empty database and may change what it opens.
enum DatabaseHeader {
    /// - Returns: the version of the schema; nil when there is no file, nor any that belongs to it.
    /// - Throws: `corrupt`, `foreign`, `newer`, `notPermitted` and the like.
    static func read(_ path: String, knownVersion: Int) throws(StoreError) -> Int? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw StoreError(systemError: errno, "\(path) can't be opened") }
            try refuseRemains(of: path)
            return nil
        }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = unsafe pread(descriptor, &header, header.count, 0)
        if count < 0, errno == EISDIR { throw .notADatabase(path) }
        guard count >= 0 else { throw StoreError(systemError: errno, "\(path) can't be read") }
        guard count == header.count, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .notADatabase(path)
        }
        guard bigEndian(header[68..<72]) == Schema.applicationID else {
            throw StoreError(
                .foreign,
                "\(path) is a database of another program. Name another folder with --data-dir, or move it away with its "
                    + "-wal and -shm.")
        }
        let version = bigEndian(header[60..<64])
        guard version <= knownVersion else { throw .newer(path, version, known: knownVersion) }
        return version
    }

    /// What the write-ahead log of a database has is lost when another database is made beside it.
    private static func refuseRemains(of path: String) throws(StoreError) {
        let remains = ["-wal", "-shm"].map { path + $0 }.filter { (name: String) in unsafe access(name, F_OK) == 0 }
        guard !remains.isEmpty else { return }
        let names = remains.joined(separator: " and ")
        throw StoreError(
            .corrupt,
            "\(names) has no \(path) beside it. They must be moved together: put that back, or move this away.")
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

extension StoreError {
    static func notADatabase(_ path: String) -> StoreError {
        StoreError(
            .corrupt,
            "\(path) is damaged or no database. Move it away with its -wal and -shm, and restore a backup or an export."
        )
    }

    static func newer(_ path: String, _ version: Int, known: Int) -> StoreError {
        StoreError(
            .newer(schemaVersion: version),
            "\(path) is of a newer version of this program (schema \(version), this one knows \(known)). Use that version."
        )
    }
}
