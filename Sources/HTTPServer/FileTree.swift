import Glibc

/// Why a folder of static files can't be served.
public struct StaticFilesError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        case missingFolder
        case unreadable
        case tooLarge
    }

    public let code: Code
    /// One sentence that names the path.
    public let detail: String

    public var description: String { detail }
}

/// The regular files below `folder`, by their path from there. Hidden ones are left out, and symbolic
/// links are not followed, so that nothing from outside comes in.
func readTree(_ folder: String, maxTotalBytes: Int) throws(StaticFilesError) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var remaining = maxTotalBytes
    var folders = [""]
    while let prefix = folders.popLast() {
        for name in try entries(of: "\(folder)/\(prefix)") where !name.hasPrefix(".") {
            let path = prefix + name
            var status = stat()
            guard unsafe lstat("\(folder)/\(path)", &status) == 0 else {
                throw unreadable("\(folder)/\(path)")
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: folders.append(path + "/")
            case S_IFREG:
                let contents = try read("\(folder)/\(path)", maxBytes: remaining)
                remaining -= contents.count
                files[path] = contents
            default: break
            }
        }
    }
    return files
}

private func entries(of folder: String) throws(StaticFilesError) -> [String] {
    guard let stream = unsafe opendir(folder) else {
        if errno == ENOENT || errno == ENOTDIR {
            throw StaticFilesError(code: .missingFolder, detail: "\(folder) is not a folder.")
        }
        throw unreadable(folder)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        names.append(name)
    }
    return names
}

private func read(_ path: String, maxBytes: Int) throws(StaticFilesError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw unreadable(path) }
        if count == 0 { return contents }
        guard contents.count + count <= maxBytes else {
            throw StaticFilesError(code: .tooLarge, detail: "The files up to \(path) are too large to keep.")
        }
        contents.append(contentsOf: buffer[..<count])
    }
}

private func unreadable(_ path: String) -> StaticFilesError {
    StaticFilesError(
        code: .unreadable, detail: "\(path) can't be read: \(unsafe String(cString: strerror(errno)))")
}
