import Glibc

/// Something the user must change: one line that says what and how.
struct Complaint: Error {
    let message: String
    init(_ message: String) { self.message = message }
}

/// Why the system call before this one failed, in words.
func lastSystemError() -> String { unsafe String(cString: strerror(errno)) }

/// One line on the standard error stream.
func say(_ message: String) { writeLine("runcast: \(message)") }

/// What went wrong, on the standard error stream.
func complain(_ message: String) { writeLine("runcast: error: \(message)") }

private func writeLine(_ line: String) {
    // One write, so that lines of several threads do not mix.
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
