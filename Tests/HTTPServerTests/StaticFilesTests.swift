import Glibc
import HTTPServer
import Testing

@Suite struct StaticFilesTests {
    /// A folder with a page, a script, a hidden file, a link to a file outside and a subfolder.
    private static func folder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/static-files-XXXXXX".utf8CString)
        let path = unsafe String(cString: try #require(unsafe mkdtemp(&template)))
        func write(_ name: String, _ text: String) {
            let descriptor = unsafe open("\(path)/\(name)", O_CREAT | O_WRONLY, 0o600)
            _ = unsafe Glibc.write(descriptor, text, text.utf8.count)
            close(descriptor)
        }
        unsafe mkdir("\(path)/sub", 0o700)
        write("index.html", "<p>")
        write("app.js", "let a")
        write("empty.css", "")
        write(".hidden", "secret")
        write("sub/index.html", "<b>")
        unsafe symlink("/etc/passwd", "\(path)/link")
        defer {
            for name in ["index.html", "app.js", "empty.css", ".hidden", "sub/index.html", "link"] {
                unsafe unlink("\(path)/\(name)")
            }
            unsafe rmdir("\(path)/sub")
            unsafe rmdir(path)
        }
        try body(path)
    }

    @Test func `files are served with their type`() throws {
        try StaticFilesTests.folder { path in
            let files = try StaticFiles(folder: path)
            for (target, type, text) in [
                ("/", "text/html; charset=utf-8", "<p>"), ("/index.html", "text/html; charset=utf-8", "<p>"),
                ("/app.js?v=1", "text/javascript; charset=utf-8", "let a"),
                ("/empty.css", "text/css; charset=utf-8", ""), ("/sub/", "text/html; charset=utf-8", "<b>"),
            ] {
                let response = try #require(files.response(to: try Request(.get, target)))
                #expect(response.status == 200)
                #expect(response.headers["Content-Type"] == type)
                #expect(String(decoding: response.body, as: UTF8.self) == text)
            }
        }
    }

    @Test(arguments: [
        "/nope", "/.hidden", "/link", "/../etc/passwd", "/%2e%2e/etc/passwd", "/sub/../index.html", "/sub",
        "/sub%2Findex.html", "//index.html", "/index.html/", "/APP.JS",
    ])
    func `nothing else is`(_ target: String) throws {
        try StaticFilesTests.folder { path in
            let files = try StaticFiles(folder: path)
            #expect(files.response(to: try Request(.get, target)) == nil)
        }
    }

    @Test func `a current copy is answered with 304`() throws {
        try StaticFilesTests.folder { path in
            let files = try StaticFiles(folder: path)
            let tag = try #require(files.response(to: try Request(.get, "/"))?.headers["ETag"])
            let other = try #require(files.response(to: try Request(.get, "/app.js"))?.headers["ETag"])
            #expect(tag != other)
            for (value, status) in [
                (tag, 304), ("W/\(tag)", 304), ("\"x\", \(tag)", 304), ("*", 304), (other, 200), ("", 200),
                (String(tag.dropLast()), 200),
            ] {
                let request = try Request(.get, "/", headers: ["If-None-Match": value])
                let response = try #require(files.response(to: request))
                #expect(response.status == status)
                #expect(response.headers["ETag"] == tag)
            }
        }
    }

    @Test func `other methods are 405 where there is a file`() throws {
        try StaticFilesTests.folder { path in
            let files = try StaticFiles(folder: path)
            #expect(files.response(to: try Request(.post, "/"))?.headers["Allow"] == "GET, HEAD")
            #expect(files.response(to: try Request(.post, "/nope")) == nil)
        }
    }

    @Test func `a missing or too large folder is an error`() throws {
        let missing = #expect(throws: StaticFilesError.self) { try StaticFiles(folder: "/nonexistent") }
        #expect(missing?.code == .missingFolder)
        #expect(missing?.detail.contains("/nonexistent") == true)
        try StaticFilesTests.folder { path in
            let large = #expect(throws: StaticFilesError.self) {
                try StaticFiles(folder: path, maxTotalBytes: 4)
            }
            #expect(large?.code == .tooLarge)
        }
    }
}
