import Glibc

/// The environment's variables, by name.
struct Environment {
    let variables: [String: String]

    static func ofProcess() -> Environment {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return Environment(variables: variables)
    }
}
