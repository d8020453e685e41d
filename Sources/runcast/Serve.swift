import Glibc
import HTTPServer
import Hub
import Primitives
import Jobs
import Service
import Storage

/// Runs a server until a signal ends it. Blocks the main thread.
/// - Returns: the exit status: 0 after an orderly stop, 1 when it could not start.
func serve(_ options: ServeOptions) -> Int32 {
    // Before any thread starts, so that all threads have the signals blocked and only the waiter gets them.
    let signals = TerminationSignals()
    do {
        var configuration = options.service
        configuration.publicFolder = try publicFolder(options.publicFolder)
        configuration.store = options.storeKind == .sqlite ? options.store : nil
        try makeRoom(for: &configuration)
        let service = try makeService(configuration)
        service.reportStoreTrouble { error in
            // Elsewhere: whoever reads the error stream may be slow, and commits wait meanwhile.
            _ = OwnThread(name: "log") {
                if let error {
                    complain("the store takes no writes, and nothing new is accepted until it does: \(error)")
                } else {
                    say("the store takes writes again")
                }
            }
        }
        let start = try start(service)
        tell(of: configuration.store, start.recovery)
        announce(host: configuration.http.host, port: start.port)
        let signal = signals.first()
        say("\(signal.name): stopping within \(configuration.drainTimeout); again to stop at once")
        signals.exitOnNext()
        waiting { await service.stop() }
        say("stopped")
        return 0
    } catch {
        complain(error.message)
        return 1
    }
}

private func makeService(_ configuration: ServiceConfiguration) throws(Complaint) -> RuncastService {
    do throws(ServiceError) {
        return try RuncastService(configuration)
    } catch {
        switch error {
        case .page(let error): throw Complaint("\(error); --public names the folder with the page")
        case .store(let error):
            let folder = configuration.store.map { "--data-dir \($0.directory): " } ?? ""
            throw Complaint(folder + error.description)
        }
    }
}

private func start(_ service: RuncastService) throws(Complaint) -> RuncastService.Start {
    let outcome = waiting { () async -> Result<RuncastService.Start, HTTPServerError> in
        do throws(HTTPServerError) { return .success(try await service.start()) } catch { return .failure(error) }
    }
    do throws(HTTPServerError) {
        return try outcome.get()
    } catch {
        let advice =
            switch error.code {
            case .portInUse: "; choose another with --port"
            case .permissionDenied: "; ports below 1024 need a privilege, choose another with --port"
            case .badHost: "; --host takes an address of this machine"
            default: ""
            }
        throw Complaint("\(error.detail)\(advice)")
    }
}

/// The page's folder: as given, else beside the working directory, else where an installation has it.
private func publicFolder(_ given: String?) throws(Complaint) -> String {
    if let given {
        var status = stat()
        guard unsafe stat(given, &status) == 0 else {
            throw Complaint("--public \(given): \(lastSystemError())")
        }
        guard unsafe access(given + "/index.html", R_OK) == 0 else {
            throw Complaint("--public \(given): there is no page (index.html) in it")
        }
        return given
    }
    var candidates = ["Public"]
    if let executable = executablePath() {
        let folder = executable.split(separator: "/").dropLast()
        candidates.append("/" + folder.joined(separator: "/") + "/../share/runcast/Public")
    }
    for candidate in candidates where unsafe access(candidate + "/index.html", R_OK) == 0 { return candidate }
    throw Complaint("there is no folder Public here; --public names the folder with the page")
}

private func executablePath() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Where things are kept, and what was found there that an earlier life of the server had not finished.
private func tell(of store: StoreConfiguration?, _ recovery: JobRecovery) {
    guard let store else { return say("keeping everything in memory: it ends with the process (--store memory)") }
    say("keeping jobs and events in \(store.directory) (durability \(store.durability.rawValue))")
    let found = [
        (recovery.lost, "lost"), (recovery.requeued, "started anew"), (recovery.stopped, "cancelled"),
        (recovery.failed, "no longer possible"), (recovery.queued, "queued"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    if !found.isEmpty { say("runs left unfinished by the last stop: " + found.joined(separator: ", ")) }
    if let failure = recovery.failure {
        complain("they can't be decided on yet, and no run can be started: \(failure.message)")
    }
}

/// Descriptors for what the configuration allows: each subscription and each connection takes one. Where there are
/// fewer, the bounds are lowered to what there is.
private func makeRoom(for configuration: inout ServiceConfiguration) throws(Complaint) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let available = Int(clamping: limit.rlim_cur)
    let room = available - ownDescriptors
    guard room >= minDescriptorsForClients else {
        throw Complaint("the limit of open files is \(available), too low to serve; raise it with ulimit -n")
    }
    guard room < configuration.http.connectionLimit + configuration.hub.maxSubscriptions else { return }
    // Connections come and go, subscriptions stay: a quarter is enough for the former.
    let connections = min(configuration.http.connectionLimit, room / 4)
    configuration.http.connectionLimit = connections
    configuration.hub.maxSubscriptions = min(configuration.hub.maxSubscriptions, room - connections)
    say(
        "the limit of open files is \(available): at most \(configuration.hub.maxSubscriptions) subscriptions "
            + "and \(connections) other connections; raise it with ulimit -n")
}

/// The process's own files and its threads' epoll sets and wake-up descriptors, with room to spare.
private let ownDescriptors = 64
/// Fewer than this are not worth a start.
private let minDescriptorsForClients = 128

private func announce(host: String, port: Int) {
    let name = host == "0.0.0.0" || host == "::" ? "localhost" : host.contains(":") ? "[\(host)]" : host
    let base = "http://\(name):\(port)"
    say("listening on \(base)/")
    say("open  \(base)/")
    say("watch curl -N \(base)/v1/streams/ticks")
    say(
        "start curl --json '{\"kind\":\"square-root-sum\",\"input\":{\"terms\":100000000000}}' \(base)/v1/jobs")
}
