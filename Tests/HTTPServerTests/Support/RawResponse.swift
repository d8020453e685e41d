/// A response as it came, its body delimited by Content-Length, chunks or the end of the connection.
struct RawResponse {
    var status = 0
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension RawClient {
    /// Sends a request and reads its response.
    func exchange(_ request: String, isHead: Bool = false) throws -> RawResponse {
        send(request)
        return try receiveResponse(isHead: isHead)
    }

    func get(_ target: String, fields: String = "") throws -> RawResponse {
        try exchange("GET \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
    }

    func receiveResponse(isHead: Bool = false) throws -> RawResponse {
        var response = try receiveHead()
        guard !isHead, response.status != 204, response.status != 304 else { return response }
        if let length = response["Content-Length"].flatMap({ Int($0) }) {
            response.body = try receive(exactly: length)
        } else if response["Transfer-Encoding"] == "chunked" {
            while true {
                let chunk = try receiveChunk()
                if chunk.isEmpty { break }
                response.body += chunk
            }
        } else {
            response.body = try receiveToEnd()
        }
        return response
    }

    func receiveHead() throws -> RawResponse {
        let lines = try receive(upTo: "\r\n\r\n").split(separator: "\r\n")
        var response = RawResponse()
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Failure(reason: "not a response: \(lines)")
        }
        response.status = status
        response.fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        return response
    }

    /// The data of one chunk; empty for the last.
    func receiveChunk() throws -> [UInt8] {
        let size = try receive(upTo: "\r\n")
        guard let count = Int(size, radix: 16) else { throw Failure(reason: "not a chunk size: \(size)") }
        let data = try receive(exactly: count + 2)
        guard data.suffix(2) == [13, 10] else { throw Failure(reason: "a chunk without its end") }
        return data.dropLast(2)
    }

    /// What comes before `mark`, which is read too.
    func receive(upTo mark: String) throws -> String {
        var text: [UInt8] = []
        let end = Array(mark.utf8)
        while true {
            let bytes = try receive()
            if bytes.isEmpty {
                throw Failure(reason: "the end came after \(String(decoding: text, as: UTF8.self))")
            }
            for (index, byte) in bytes.enumerated() {
                text.append(byte)
                if text.suffix(end.count) == end[...] {
                    unread(bytes[(index + 1)...])
                    return String(decoding: text.dropLast(end.count), as: UTF8.self)
                }
            }
        }
    }

    func receive(exactly count: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let bytes = try receive()
            if bytes.isEmpty { throw Failure(reason: "the end came \(count - all.count) bytes early") }
            let needed = min(bytes.count, count - all.count)
            all += bytes[..<needed]
            unread(bytes[needed...])
        }
        return all
    }
}
