import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
let environment = Environment.ofProcess()

do {
    switch try Command(arguments, environment: environment) {
    case .help(let text): print(text, terminator: "")
    case .version: print("runcast \(version)")
    case .health(let target): exit(checkHealth(of: target))
    case .serve(let options): exit(serve(options))
    }
} catch {
    complain(error.message)
    exit(2)
}
