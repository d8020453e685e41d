import FanOut
import HTTPServer
import Hub
import Jobs
import Service

/// One setting of `runcast serve`: a flag, and a variable of the environment for the same.
struct Option: Sendable {
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
}

/// What `runcast serve` was told.
struct ServeOptions {
    var service = ServiceConfiguration()
    /// Given, or looked for.
    var publicFolder: String?
    var dataFolder: String?
}

extension Option {
    static let all: [Option] = [
        Option(name: "host", placeholder: "ADDRESS", help: "where to listen; 0.0.0.0 is everywhere (127.0.0.1)") {
            (text, options) throws(Complaint) in options.service.http.host = try host(text)
        },
        Option(name: "port", placeholder: "N", help: "0 takes a free one (8080)") {
            (text, options) throws(Complaint) in
            options.service.http.port = try integer(text, in: 0...65_535)
        },
        Option(name: "public", placeholder: "FOLDER", help: "the page (Public, or ../share/runcast/Public)") {
            (text, options) throws(Complaint) in options.publicFolder = text
        },
        Option(name: "data-dir", placeholder: "FOLDER", help: "made if missing; nothing is kept there yet (none)") {
            (text, options) throws(Complaint) in options.dataFolder = text
        },
        Option(name: "tick-interval", placeholder: "TIME", help: "between values of the topic ticks (2s)") {
            (text, options) throws(Complaint) in
            options.service.tickInterval = try duration(text, in: .milliseconds(1)...(.seconds(86_400)))
        },
        Option(name: "workers", placeholder: "N", help: "threads that compute (one per core)") {
            (text, options) throws(Complaint) in options.service.workers = try integer(text, in: 1...1_024)
        },
        Option(name: "max-running", placeholder: "N", help: "runs that compute at the same time (= workers)") {
            (text, options) throws(Complaint) in
            options.service.jobs.maxRunningRuns = try integer(text, in: 1...10_000)
        },
        Option(name: "max-queued", placeholder: "N", help: "runs that wait, of all jobs together (1000)") {
            (text, options) throws(Complaint) in
            options.service.jobs.maxQueuedRuns = try integer(text, in: 0...1_000_000)
        },
        Option(name: "max-jobs", placeholder: "N", help: "jobs kept; the oldest finished makes room (10000)") {
            (text, options) throws(Complaint) in options.service.jobs.maxJobs = try integer(text, in: 1...1_000_000)
        },
        Option(name: "max-runs-per-job", placeholder: "N", help: "runs kept of each job (20)") {
            (text, options) throws(Complaint) in
            options.service.jobs.maxRunsPerJob = try integer(text, in: 1...10_000)
        },
        Option(name: "max-subscriptions", placeholder: "N", help: "streams open at the same time (10000)") {
            (text, options) throws(Complaint) in
            options.service.hub.maxSubscriptions = try integer(text, in: 1...1_000_000)
        },
        Option(name: "max-topics", placeholder: "N", help: "topics that clients may make (10000)") {
            (text, options) throws(Complaint) in
            options.service.hub.maxOpenTopics = try integer(text, in: 0...1_000_000)
        },
        Option(name: "max-body", placeholder: "SIZE", help: "bytes of a request's body (1M)") {
            (text, options) throws(Complaint) in
            options.service.http.maxBodyBytes = try size(text, in: 1...(1 << 30))
        },
        Option(name: "max-header", placeholder: "SIZE", help: "bytes of a request's head (16K)") {
            (text, options) throws(Complaint) in
            options.service.http.maxHeaderBytes = try size(text, in: 1_024...(1 << 20))
        },
        Option(name: "log-events", placeholder: "N", help: "events kept per topic, for those who resume (1024)") {
            (text, options) throws(Complaint) in
            options.service.retention.maxEvents = try integer(text, in: 1...1_000_000)
        },
        Option(name: "log-bytes", placeholder: "SIZE", help: "bytes of events kept per topic (1M)") {
            (text, options) throws(Complaint) in
            options.service.retention.maxBytes = try size(text, in: 1...(1 << 30))
        },
        Option(name: "heartbeat", placeholder: "TIME", help: "a silent stream gets a comment this often (15s)") {
            (text, options) throws(Complaint) in
            options.service.fanOut.heartbeatInterval = try duration(text, in: .milliseconds(100)...(.seconds(3_600)))
        },
        Option(name: "stall-timeout", placeholder: "TIME", help: "a client that reads nothing is cut off (30s)") {
            (text, options) throws(Complaint) in
            options.service.fanOut.stallTimeout = try duration(text, in: .milliseconds(100)...(.seconds(3_600)))
        },
        Option(name: "fan-out-threads", placeholder: "N", help: "threads that write to streams (1)") {
            (text, options) throws(Complaint) in options.service.fanOut.threads = try integer(text, in: 1...64)
        },
        Option(name: "http-threads", placeholder: "N", help: "threads that answer requests (2)") {
            (text, options) throws(Complaint) in options.service.http.threads = try integer(text, in: 1...64)
        },
        Option(name: "drain-timeout", placeholder: "TIME", help: "how long a stop may take (10s)") {
            (text, options) throws(Complaint) in
            options.service.drainTimeout = try duration(text, in: .milliseconds(100)...(.seconds(3_600)))
        },
        Option(name: "allowed-host", placeholder: "NAMES", help: "further names of this server, by commas") {
            (text, options) throws(Complaint) in options.service.allowedHosts = try hostNames(text)
        },
        Option(name: "allowed-origin", placeholder: "ORIGINS", help: "sites whose pages may use the API, by commas") {
            (text, options) throws(Complaint) in options.service.allowedOrigins = try origins(text)
        },
    ]
}
