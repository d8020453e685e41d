import HTTPServer

extension Reply {
    /// The reply with fields added to its head.
    func adding(_ fields: Headers) -> Reply {
        switch self {
        case .now(let response): .now(response.adding(fields))
        case .stream(let head): .stream(head.adding(fields))
        case .later(let reply): .later { await reply().adding(fields) }
        case .byCall(let begin): .byCall { answer in begin { answer($0.adding(fields)) } }
        }
    }
}

extension FinalReply {
    fileprivate func adding(_ fields: Headers) -> FinalReply {
        switch self {
        case .response(let response): .response(response.adding(fields))
        case .stream(let head): .stream(head.adding(fields))
        }
    }
}

extension Response {
    fileprivate func adding(_ fields: Headers) -> Response {
        var response = self
        response.headers.append(contentsOf: fields)
        return response
    }
}

extension StreamHead {
    fileprivate func adding(_ fields: Headers) -> StreamHead {
        var headers = headers
        headers.append(contentsOf: fields)
        return StreamHead(status: status, headers: headers, taken: taken, abandoned: abandoned)
    }
}
