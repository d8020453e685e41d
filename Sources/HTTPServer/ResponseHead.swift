import CMicrohttpd
import Glibc

/// The head of a response as it goes on the wire (RFC 9112, section 2.1), for a body of no announced length.
struct ResponseHead {
    private(set) var bytes: [UInt8]

    init(_ head: StreamHead, isChunked: Bool) {
        // RFC 9110, section 6.2: the version is the highest that the server conforms to, not the client's.
        bytes = Array("HTTP/1.1 ".utf8)
        // Enough for the fields of a stream: less than they have would be a copy more.
        bytes.reserveCapacity(640)
        bytes += String(head.status).utf8
        bytes += " ".utf8
        bytes += unsafe String(cString: rc_reason_phrase(UInt32(head.status))).utf8
        bytes += "\r\nDate: ".utf8
        bytes += httpDate(of: time(nil)).utf8
        bytes += "\r\n".utf8
        bytes += HeaderBlock(head.headers, afterName: ": ", afterValue: "\r\n").bytes
        if isChunked { bytes += "Transfer-Encoding: chunked\r\n".utf8 }
        bytes += "Connection: close\r\n\r\n".utf8
    }
}

/// RFC 9110, section 5.6.7.
private func httpDate(of time: time_t) -> String {
    var (time, fields) = unsafe (time, tm())
    _ = unsafe gmtime_r(&time, &fields)
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
        // The names of days and months are English: the program never leaves the locale "C".
        _ = unsafe strftime(text.baseAddress!, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
        return unsafe String(cString: text.baseAddress!)
    }
}
