import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
let environment = Environment.ofProcess()

do {
    switch try Command(arguments, environment: environment) {
    case .help(let text): print(text, terminator: "")
    case .version: print("runcast \(version)")
    case .health(let target): exit(checkHealth(of: target))
    case .serve(let options): exit(serve(options))
    case .doctor(let directory, let asJSON): exit(examine(directory, asJSON: asJSON))
    case .export(let directory): exit(export(directory))
    case .importLines(let directory): exit(importLines(into: directory))
    }
} catch {
    complain(error.message)
    exit(2)
}
