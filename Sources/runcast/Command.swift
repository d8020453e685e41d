import Service

let version = "0.1.0"

/// What the command line asks for.
enum Command {
    case help(String)
    case version
    case serve(ServeOptions)
    case health(HealthTarget)
    /// The data directory.
    case doctor(String, asJSON: Bool)
    case export(String)
    case importLines(String)

    init(_ arguments: [String], environment: Environment) throws(Complaint) {
        guard let first = arguments.first else { throw Complaint("say what to do: runcast serve, or runcast --help") }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "-h", "--help", "help": self = .help(Self.overview)
        case "-V", "--version", "version": self = .version
        case "serve":
            self =
                rest.contains { $0 == "-h" || $0 == "--help" }
                ? .help(Self.serveHelp) : .serve(try Self.options(rest, environment))
        case "health":
            self =
                rest.contains { $0 == "-h" || $0 == "--help" }
                ? .help(Self.overview) : .health(HealthTarget(try Self.options(rest, environment)))
        case "doctor", "export", "import": self = try Self.onDirectory(first, rest, environment)
        default: throw Complaint("there is no command \"\(first)\"; see runcast --help")
        }
    }

    /// A command that a data directory is all to: `--data-dir` is what it takes of the options.
    private static func onDirectory(
        _ name: String, _ arguments: [String], _ environment: Environment
    ) throws(Complaint) -> Command {
        guard !arguments.contains(where: { $0 == "-h" || $0 == "--help" }) else { return .help(overview) }
        let asJSON = name == "doctor" && arguments.contains("--json")
        let rest = arguments.filter { !asJSON || $0 != "--json" }
        for argument in rest where argument.hasPrefix("--") && !argument.hasPrefix("--data-dir") {
            throw Complaint("runcast \(name) takes no option \"\(argument)\"; see runcast --help")
        }
        let directory = try options(rest, environment).store.directory
        return switch name {
        case "doctor": .doctor(directory, asJSON: asJSON)
        case "export": .export(directory)
        default: .importLines(directory)
        }
    }

    /// Flags win over the environment, which wins over the defaults.
    private static func options(
        _ arguments: [String], _ environment: Environment
    ) throws(Complaint) -> ServeOptions {
        var options = ServeOptions()
        for option in Option.all {
            guard let text = environment.variables[option.variable], !text.isEmpty else { continue }
            // Kubernetes sets RUNCAST_PORT=tcp://… in every pod beside a Service of this name: not meant for us.
            if text.hasPrefix("tcp://") { continue }
            try apply(option, text, named: option.variable, to: &options)
        }
        var index = arguments.startIndex
        while index < arguments.endIndex {
            let parts = arguments[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0].hasPrefix("--"), let option = Option.all.first(where: { $0.name == parts[0].dropFirst(2) })
            else { throw Complaint("there is no option \"\(arguments[index])\"; see runcast serve --help") }
            if parts.count == 1 { index += 1 }
            guard index < arguments.endIndex else { throw Complaint("--\(option.name) takes a value") }
            let text = parts.count == 2 ? String(parts[1]) : arguments[index]
            try apply(option, text, named: "--\(option.name)", to: &options)
            index += 1
        }
        return options
    }

    private static func apply(
        _ option: Option, _ text: String, named name: String, to options: inout ServeOptions
    ) throws(Complaint) {
        do throws(Complaint) {
            try option.apply(text, &options)
        } catch {
            throw Complaint("\(name) \(error.message)")
        }
    }

    private static let overview = """
        Runcast: start work over HTTP, watch it live, cancel it, never see a stale result.

        usage: runcast serve [OPTION ...]     serve the page and the API
               runcast health [OPTION ...]    ask a server whether it is ready; exit 0 if it is
               runcast doctor [--json]        check the data directory, say what is in it; exit 0 if it is sound
               runcast export                 write the data directory to the standard output, as JSON lines
               runcast import                 make a data directory of such lines from the standard input
               runcast --version
               runcast serve --help           the options

        doctor, export and import take --data-dir FOLDER (or RUNCAST_DATA_DIR), as serve does.

        """

    private static var serveHelp: String {
        let width = Option.all.map { $0.name.count + $0.placeholder.count }.max() ?? 0
        let lines = Option.all.map { option in
            let flag = "--\(option.name) \(option.placeholder)"
            return "  \(flag)\(String(repeating: " ", count: width + 5 - flag.count))\(option.help)"
        }
        return """
            usage: runcast serve [OPTION ...]

            \(lines.joined(separator: "\n"))

            Each option can be given by the environment too: RUNCAST_PORT for --port,
            RUNCAST_TICK_INTERVAL for --tick-interval. Flags win. In parentheses: the default.
            SIGTERM or SIGINT stops the server in order; a second one at once.

            """
    }
}
