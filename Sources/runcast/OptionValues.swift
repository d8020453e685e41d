/// The values that options take, read from text.

func integer(_ text: String, in range: ClosedRange<Int>) throws(Complaint) -> Int {
    guard let value = Int(text), range.contains(value) else {
        throw Complaint("takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return value
}

/// `2s`, `500ms`, `1.5s`, `2m`, `1h`; without a unit it is seconds.
func duration(_ text: String, in range: ClosedRange<Duration>) throws(Complaint) -> Duration {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    let unit: Double? =
        switch text.dropFirst(digits.count) {
        case "us": 1e-6
        case "ms": 1e-3
        case "s", "": 1
        case "m": 60
        case "h": 3_600
        default: nil
        }
    guard let number = Double(digits), let unit, number * unit < 1e9,
        range.contains(.seconds(number * unit))
    else {
        throw Complaint(
            "takes a time from \(range.lowerBound) to \(range.upperBound), such as 500ms, 2s or 1m, not \"\(text)\"")
    }
    return .seconds(number * unit)
}

/// A number of bytes: `4096`, `64K`, `1M`, `1G` (powers of 1024).
func size(_ text: String, in range: ClosedRange<Int>) throws(Complaint) -> Int {
    let digits = text.prefix { $0.isNumber }
    let shift: Int? =
        switch text.dropFirst(digits.count).uppercased() {
        case "", "B": 0
        case "K", "KIB": 10
        case "M", "MIB": 20
        case "G", "GIB": 30
        default: nil
        }
    guard let number = Int(digits), number <= 1 << 30, let shift, range.contains(number << shift) else {
        throw Complaint(
            "takes a number of bytes from \(range.lowerBound) to \(range.upperBound), such as 64K or 1M, not \"\(text)\""
        )
    }
    return number << shift
}

func list(_ text: String) -> [String] {
    text.split(separator: ",").map { $0.trimmingSpaces }.filter { !$0.isEmpty }
}

/// Origins as browsers write them (RFC 6454, section 6.1): scheme, host and port, nothing behind.
func origins(_ text: String) throws(Complaint) -> Set<String> {
    for origin in list(text) {
        let isWeb = origin.hasPrefix("http://") || origin.hasPrefix("https://")
        guard isWeb, origin.split(separator: "/", omittingEmptySubsequences: false).count == 3 else {
            throw Complaint("takes origins such as https://example.org, without a path, not \"\(origin)\"")
        }
    }
    return Set(list(text))
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
