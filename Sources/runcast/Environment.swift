import Glibc

/// The environment's variables, by name.
struct Environment {
    let variables: [String: String]

    /// To be called before there are other threads: one that changes the variables would pull them away.
    static func ofProcess() -> Environment {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return Environment(variables: variables)
    }
}
