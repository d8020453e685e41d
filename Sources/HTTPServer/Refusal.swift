import CMicrohttpd

/// A request that is refused before the application sees it.
enum Refusal {
    case malformed(String)
    case malformedTarget(MalformedTarget)
    case headTooLarge
    case targetTooLong
    case bodyTooLarge

    /// Nil when nothing is wrong.
    init?(_ refusal: rc_refusal) {
        switch refusal {
        case rc_refusal_none: return nil
        case rc_refusal_header_too_large: self = .headTooLarge
        case rc_refusal_target_too_long: self = .targetTooLong
        case rc_refusal_body_too_large: self = .bodyTooLarge
        case rc_refusal_request_line:
            self = .malformed("The request line must be a method, a target and a version, ended by CRLF.")
        case rc_refusal_host:
            self = .malformed("There must be exactly one Host field, with a host and perhaps a port.")
        case rc_refusal_content_length:
            self = .malformed("There may be one Content-Length field, with one number.")
        case rc_refusal_transfer_encoding:
            self = .malformed(
                "Transfer-Encoding may only be chunked, in HTTP/1.1 and without Content-Length.")
        default:
            self = .malformed("A header field is malformed.")
        }
    }

    /// Each ends the connection: what such a client sends next is not worth parsing.
    var response: Response {
        let problem: Problem
        switch self {
        case .malformed(let detail):
            problem = Problem(
                400, type: "/problems/malformed-request", title: "Malformed request", detail: detail,
                headers: ["Connection": "close"])
        case .malformedTarget(let reason):
            problem = Problem(
                400, type: "/problems/malformed-target", title: "Malformed request target",
                detail: reason.rawValue, headers: ["Connection": "close"])
        case .headTooLarge:
            problem = Problem(
                431, type: "/problems/header-too-large", title: "Request header fields too large",
                detail: "Send fewer or shorter header fields.", headers: ["Connection": "close"])
        case .targetTooLong:
            problem = Problem(
                414, type: "/problems/target-too-long", title: "Request target too long",
                detail: "Send a shorter target.", headers: ["Connection": "close"])
        case .bodyTooLarge:
            problem = Problem(
                413, type: "/problems/body-too-large", title: "Request body too large",
                detail: "Send a shorter body.", headers: ["Connection": "close"])
        }
        return problem.response
    }
}
