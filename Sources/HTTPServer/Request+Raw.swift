import CMicrohttpd

extension Request {
    /// Copies a request out of the C layer's memory.
    init(_ raw: rc_request) throws(MalformedTarget) {
        var fields: [Headers.Field] = []
        unsafe fields.reserveCapacity(raw.field_count)
        for index in unsafe 0..<raw.field_count {
            let field = unsafe raw.fields[index]
            unsafe fields.append(
                Headers.Field(name: String(copying: field.name), value: String(copying: field.value)))
        }
        let body = unsafe raw.body.bytes.map { bytes in
            unsafe Array(UnsafeRawBufferPointer(start: bytes, count: raw.body.length))
        }
        try unsafe self.init(
            Method(rawValue: String(copying: raw.method)), String(copying: raw.target),
            headers: Headers(fields: fields), body: body ?? [], minorVersion: Int(raw.minor_version))
    }
}

extension String {
    /// Bytes that are not UTF-8 become U+FFFD.
    fileprivate init(copying text: rc_text) {
        let bytes = unsafe UnsafeRawBufferPointer(start: text.bytes, count: text.length)
        self = unsafe String(decoding: bytes, as: UTF8.self)
    }
}
