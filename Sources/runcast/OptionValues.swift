/// The values that options take, read from text.

func integer(_ text: String, in range: ClosedRange<Int>) throws(Complaint) -> Int {
    guard let value = Int(text), range.contains(value) else {
        throw Complaint("takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return value
}

/// `2s`, `500ms`, `1.5s`, `2m`, `1h`, `7d`; without a unit it is seconds.
func duration(_ text: String, in range: ClosedRange<Duration>) throws(Complaint) -> Duration {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    let unit: Double? =
        switch text.dropFirst(digits.count) {
        case "us": 1e-6
        case "ms": 1e-3
        case "s", "": 1
        case "m": 60
        case "h": 3_600
        case "d": 86_400
        default: nil
        }
    guard let number = Double(digits), let unit, number * unit < 1e10,
        range.contains(.seconds(number * unit))
    else {
        throw Complaint(
            "takes a time from \(spelled(range.lowerBound)) to \(spelled(range.upperBound)), such as 500ms, 2s or 1m, "
                + "not \"\(text)\"")
    }
    return .seconds(number * unit)
}

/// As ``duration(_:in:)`` reads it; whole milliseconds.
func spelled(_ duration: Duration) -> String {
    let milliseconds = Int((duration / .milliseconds(1)).rounded())
    if milliseconds > 0, milliseconds % 86_400_000 == 0 { return "\(milliseconds / 86_400_000)d" }
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
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
        case "T", "TIB": 40
        default: nil
        }
    guard let number = Int(digits), number <= (1 << 50) >> (shift ?? 0), let shift, range.contains(number << shift)
    else {
        throw Complaint(
            "takes a number of bytes from \(spelled(bytes: range.lowerBound)) to \(spelled(bytes: range.upperBound)), "
                + "such as 64K or 1M, not \"\(text)\"")
    }
    return number << shift
}

/// As ``size(_:in:)`` reads it.
func spelled(bytes count: Int) -> String {
    for (shift, unit) in [(40, "T"), (30, "G"), (20, "M"), (10, "K")] where count > 0 && count % (1 << shift) == 0 {
        return "\(count >> shift)\(unit)"
    }
    return String(count)
}

/// One of the words that a type has.
func choice<Choice: RawRepresentable<String> & CaseIterable>(_ text: String) throws(Complaint) -> Choice {
    if let choice = Choice(rawValue: text) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    throw Complaint("takes \(words.joined(separator: " or ")), not \"\(text)\"")
}

func folder(_ text: String) throws(Complaint) -> String {
    guard !text.isEmpty else { throw Complaint("takes a folder, such as /var/lib/runcast, not \"\"") }
    return text
}

func onOff(_ text: String) throws(Complaint) -> Bool {
    switch text {
    case "on": true
    case "off": false
    default: throw Complaint("takes on or off, not \"\(text)\"")
    }
}

func list(_ text: String) -> [String] {
    text.split(separator: ",").map { $0.trimmingSpaces }.filter { !$0.isEmpty }
}

/// An address or a name to listen on; whether it is one of this machine shows at the start.
func host(_ text: String) throws(Complaint) -> String {
    guard !text.isEmpty else { throw Complaint("takes an address or a name, such as 0.0.0.0, not \"\"") }
    return text
}

/// Names of hosts, without a scheme or a port, in lower case.
func hostNames(_ text: String) throws(Complaint) -> Set<String> {
    let names = list(text).map { $0.lowercased() }
    guard names.allSatisfy(isHostName) else {
        throw Complaint("takes names such as example.org, without scheme and port, not \"\(text)\"")
    }
    return Set(names)
}

/// Origins as browsers write them (RFC 6454, section 6.1): scheme, host and perhaps a port, in lower case, nothing
/// behind.
func origins(_ text: String) throws(Complaint) -> Set<String> {
    let origins = list(text).map { $0.lowercased() }
    guard origins.allSatisfy(isOrigin) else {
        throw Complaint("takes origins such as https://example.org, without a path, not \"\(text)\"")
    }
    return Set(origins)
}

private func isOrigin(_ text: String) -> Bool {
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
        let parts = text.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        return isHostName(String(parts[0])) && parts.count <= 2 && parts.dropFirst().allSatisfy { UInt16($0) != nil }
    }
    return false
}

private func isHostName(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
