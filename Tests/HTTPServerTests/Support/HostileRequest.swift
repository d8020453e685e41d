import TestSupport

extension SplitMix {
    /// Pure noise, or a plausible request with some bytes changed, cut or repeated.
    mutating func hostileRequest() -> [UInt8] {
        guard Int.random(in: 0..<4, using: &self) > 0 else {
            return (0..<Int.random(in: 1..<600, using: &self)).map { _ in
                UInt8.random(in: 0...255, using: &self)
            }
        }
        let methods = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "get", ""]
        let targets = [
            "/now", "/stream", "/echo", "/soon/a", "/%zz", "*", "http://x/now", "//", "/describe/a?b=c",
        ]
        let versions = ["HTTP/1.1", "HTTP/1.0", "HTTP/1.9", "HTTP/3.0", ""]
        let fields = [
            "Host: x", "Host: y", "Content-Length: 5", "Content-Length: 99999999",
            "Transfer-Encoding: chunked",
            "Transfer-Encoding: gzip", "Expect: 100-continue", "Connection: close", "Cookie: a=b; c=\"d",
            " folded",
        ]
        var text = "\(pick(methods)) \(pick(targets)) \(pick(versions))\r\n"
        for _ in 0..<Int.random(in: 0..<6, using: &self) { text += pick(fields) + "\r\n" }
        text += "\r\n" + pick(["", "hello", "5\r\nhello\r\n0\r\n\r\n", "zz\r\n", "5\r\nhello"])
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0..<4, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.removeSubrange(index...)
            default: bytes.insert(contentsOf: bytes.prefix(index), at: index)
            }
        }
        return bytes
    }

    private mutating func pick(_ choices: [String]) -> String {
        choices.randomElement(using: &self) ?? ""
    }
}
