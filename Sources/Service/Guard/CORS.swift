import HTTPServer

/// What an allowed origin's pages are told (WHATWG Fetch, section 3.3).
enum CORS {
    static func fields(for origin: String) -> Headers {
        [
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": "Location, ETag, Retry-After, Preference-Applied",
        ]
    }

    /// The answer to a preflight request.
    static func preflight(for origin: String) -> Response {
        var headers = fields(for: origin)
        headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
        headers["Access-Control-Allow-Headers"] =
            "Accept, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer"
        headers["Access-Control-Max-Age"] = "600"
        return Response(status: 204, headers: headers)
    }
}
