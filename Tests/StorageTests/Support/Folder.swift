import FoundationEssentials
import Glibc

/// A folder of its own for a test, removed in the end. In memory where the system has a place for that, so that a
/// thousand syncs take no time.
final class Folder: Sendable {
    let path: String

    init() {
        let memory = "/dev/shm"
        let place =
            FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        path = place + "/runcast-storage-\(UUID())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// One that the code under test makes.
    init(at path: String) { self.path = path }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    /// A file's content; nil when there is none. Not by Foundation, which leaks a page for an empty file.
    func bytes(_ name: String) -> [UInt8]? {
        let descriptor = unsafe Glibc.open(file(name), O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = size(name)
        var bytes = [UInt8](repeating: 0, count: size)
        let count = unsafe read(descriptor, &bytes, size)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Bytes of a file; 0 when there is none.
    func size(_ name: String) -> Int {
        var status = stat()
        guard unsafe stat(file(name), &status) == 0 else { return 0 }
        return Int(status.st_size)
    }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(filePath: file(name))) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
