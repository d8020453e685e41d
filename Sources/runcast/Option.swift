/// One setting of `runcast serve`: a flag, and a variable of the environment for the same.
struct Option: Sendable {
    typealias Setting<Value> = any WritableKeyPath<ServeOptions, Value> & Sendable

    /// Without the dashes.
    let name: String
    /// What stands for the value in the help.
    let placeholder: String
    let help: String
    /// Reads the value into the options, or throws what is expected instead.
    let apply: @Sendable (String, inout ServeOptions) throws(Complaint) -> Void

    /// `RUNCAST_TICK_INTERVAL` for `--tick-interval`.
    var variable: String {
        "RUNCAST_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// - Parameter read: makes the value of text, or throws what is expected instead.
    init<Value>(
        _ name: String, _ placeholder: String, _ setting: Setting<Value>, _ help: String,
        read: @escaping @Sendable (String) throws(Complaint) -> Value
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        apply = { (text, options) throws(Complaint) in options[keyPath: setting] = try read(text) }
    }
}

/// Each of these ends its help with the default in parentheses, as it is in `ServeOptions()`.
extension Option {
    static func number(
        _ name: String, _ setting: Setting<Int>, in range: ClosedRange<Int>, _ help: String
    ) -> Option {
        Option(name, "N", setting, "\(help) (\(ServeOptions()[keyPath: setting]))") { text throws(Complaint) in
            try integer(text, in: range)
        }
    }

    static func bytes(
        _ name: String, _ setting: Setting<Int>, in range: ClosedRange<Int>, _ help: String
    ) -> Option {
        let standard = spelled(bytes: ServeOptions()[keyPath: setting])
        return Option(name, "SIZE", setting, "\(help) (\(standard))") { text throws(Complaint) in
            try size(text, in: range)
        }
    }

    static func time(
        _ name: String, _ setting: Setting<Duration>, in range: ClosedRange<Duration>, _ help: String
    ) -> Option {
        let standard = spelled(ServeOptions()[keyPath: setting])
        return Option(name, "TIME", setting, "\(help) (\(standard))") { text throws(Complaint) in
            try duration(text, in: range)
        }
    }
}
