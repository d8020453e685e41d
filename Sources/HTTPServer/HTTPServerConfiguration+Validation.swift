extension HTTPServerConfiguration {
    /// Bytes of an oversized chunked body that are read and dropped so that its sender gets the 413;
    /// what sends more is cut off.
    static let discardedBodyBytes = 4 << 20

    /// Memory of one connection for the request head, its fields' bookkeeping (64 bytes each), a copy
    /// of the cookies and the response head. Heads that exceed their bound by little get the server's
    /// own 431; those that exhaust this memory get libmicrohttpd's, which is a line of fixed HTML.
    var poolBytes: Int { 2 * maxHeaderBytes }

    /// What is out of its range, as a sentence; nil when nothing is.
    var problem: String? {
        let ranges: [(name: String, value: Int, range: ClosedRange<Int>)] = [
            ("port", port, 0...65_535),
            ("listenBacklog", listenBacklog, 1...65_535),
            ("threads", threads, 1...64),
            ("connectionLimit", connectionLimit, threads...1_000_000),
            ("connectionTimeoutSeconds", connectionTimeoutSeconds, 1...86_400),
            ("maxBodyBytes", maxBodyBytes, 0...(1 << 31)),
            ("maxHeaderBytes", maxHeaderBytes, 1_024...(1 << 24)),
            ("maxHeaderFields", maxHeaderFields, 1...255),
            ("sendBufferBytes", sendBufferBytes, 4_096...(1 << 30)),
            ("unsentBytes", unsentBytes, 1_024...(1 << 30)),
            ("stopGraceMilliseconds", stopGraceMilliseconds, 0...3_600_000),
        ]
        for (name, value, range) in ranges where !range.contains(value) {
            return "\(name) is \(value); it must lie in \(range.lowerBound)...\(range.upperBound)."
        }
        return nil
    }
}
