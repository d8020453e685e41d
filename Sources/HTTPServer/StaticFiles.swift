import Primitives

/// The files of a folder, read into memory once and served from there.
///
/// No path of a request ever reaches the file system, so there is nothing to traverse. Hidden files
/// and symbolic links are left out. `index.html` is served for the path of its folder.
public struct StaticFiles: Sendable {
    private struct File {
        let contents: [UInt8]
        let contentType: String
        let entityTag: String
    }

    /// By path from the root, without the leading slash.
    private let files: [String: File]

    /// Reads the folder.
    ///
    /// - Parameter maxTotalBytes: of all files together. Default: 64 MiB.
    /// - Throws: `StaticFilesError` if the folder or a file in it can't be read, or they are too large.
    public init(folder: String, maxTotalBytes: Int = 64 << 20) throws(StaticFilesError) {
        var files: [String: File] = [:]
        for (path, contents) in try readTree(folder, maxTotalBytes: maxTotalBytes) {
            files[path] = File(
                contents: contents, contentType: StaticFiles.contentType(of: path),
                entityTag: "\"\(Fingerprint(of: contents))\"")
        }
        self.files = files
    }

    /// The answer, or nil if there is no such file. 304 if the client's copy is current
    /// (RFC 9110, section 13.1.2); 405 for other methods than GET and HEAD.
    public func response(to request: Request) -> Response? {
        guard let file = files[key(of: request.path)] else { return nil }
        guard request.method == .get || request.method == .head else {
            return Router.methodNotAllowed(allowed: [.get]).response
        }
        return Response(status: 200, headers: ["Content-Type": file.contentType], body: file.contents)
            .revalidated(for: request, entityTag: file.entityTag)
    }

    private func key(of path: [String]) -> String {
        // A decoded slash within a segment must not pass for a separator.
        guard path.allSatisfy({ !$0.contains("/") }) else { return "" }
        let name = path.joined(separator: "/")
        return name.isEmpty || name.hasSuffix("/") ? name + "index.html" : name
    }

    private static func contentType(of path: String) -> String {
        switch path.split(separator: ".").last?.lowercased() {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/vnd.microsoft.icon"
        case "woff2": "font/woff2"
        case "txt", "md": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
