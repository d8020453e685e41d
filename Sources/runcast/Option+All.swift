import FanOut
import HTTPServer
import Hub
import Jobs
import Service
import Storage

extension Option {
    /// In the order of the help.
    static let all: [Option] = [
        Option(
            "host", "ADDRESS", \.service.http.host,
            "where to listen; 0.0.0.0 is everywhere (\(ServeOptions().service.http.host))", read: host),
        .number("port", \.service.http.port, in: 0...65_535, "0 takes a free one"),
        Option("public", "FOLDER", \.publicFolder, "the page (Public, or ../share/runcast/Public)") { $0 },
        Option(
            "store", "sqlite|memory", \.storeKind,
            "where jobs and events are kept (sqlite)"
        ) { text throws(Complaint) in try choice(text) },
        Option(
            "data-dir", "FOLDER", \.store.directory,
            "the store; made if missing (\(ServeOptions().store.directory))",
            read: folder),
        Option(
            "durability", "full|normal", \.store.durability,
            "full survives a loss of power (full)"
        ) { text throws(Complaint) in try choice(text) },
        .number(
            "keep-events", \.store.retention.maxEvents, in: 1...1_000_000_000, "events stored per topic"),
        .bytes("keep-bytes", \.store.retention.maxBytes, in: 1_024...(1 << 50), "bytes of events stored per topic"),
        .time(
            "keep-for", \.store.retention.maxAge, in: .milliseconds(1)...(.seconds(100 * 366 * 86_400)),
            "how long events are stored"),
        .bytes(
            "max-store-size", \.store.retention.maxTotalBytes, in: (1 << 20)...(1 << 50),
            "bytes of the store; old events make room"),
        .time(
            "keep-jobs-for", \.service.jobs.keepFinishedFor, in: .milliseconds(1)...(.seconds(100 * 366 * 86_400)),
            "how long finished jobs are kept"),
        .bytes(
            "max-job-bytes", \.service.jobs.maxBytes, in: 1_024...(1 << 50),
            "bytes of all inputs and results"),
        .time(
            "tick-interval", \.service.tickInterval, in: .milliseconds(1)...(.seconds(86_400)),
            "between values of the topic ticks"),
        .number("workers", \.service.workers, in: 1...1_024, "threads that compute; one per core"),
        Option(
            "max-running", "N", \.service.jobs.maxRunningRuns, "runs that compute at the same time (= workers)"
        ) { text throws(Complaint) in try integer(text, in: 1...10_000) },
        .number(
            "max-queued", \.service.jobs.maxQueuedRuns, in: 0...1_000_000, "runs that wait, of all jobs together"),
        .number(
            "max-jobs", \.service.jobs.maxJobs, in: 1...1_000_000, "jobs kept; the oldest finished makes room"),
        .number("max-runs-per-job", \.service.jobs.maxRunsPerJob, in: 1...10_000, "runs kept of each job"),
        .number(
            "max-subscriptions", \.service.hub.maxSubscriptions, in: 1...1_000_000,
            "streams open at the same time"),
        .number("max-topics", \.service.hub.maxOpenTopics, in: 0...1_000_000, "topics that clients may make"),
        .bytes("max-body", \.service.http.maxBodyBytes, in: 1...(1 << 30), "bytes of a request's body"),
        .bytes("max-header", \.service.http.maxHeaderBytes, in: 1_024...(1 << 20), "bytes of a request's head"),
        .number(
            "log-events", \.service.retention.maxEvents, in: 1...1_000_000,
            "events kept in memory per topic"),
        .bytes(
            "log-bytes", \.service.retention.maxBytes, in: 1...(1 << 30), "bytes of events kept in memory per topic"),
        .time(
            "heartbeat", \.service.fanOut.heartbeatInterval, in: upToAnHour,
            "a silent stream gets a comment this often"),
        .time(
            "stall-timeout", \.service.fanOut.stallTimeout, in: upToAnHour,
            "a client that reads nothing is cut off"),
        Option(
            "stream-compression", "on|off", \.service.compressesStreams,
            "gzip for clients that accept it (on)", read: onOff),
        .number("fan-out-threads", \.service.fanOut.threads, in: 1...64, "threads that write to streams"),
        .number("http-threads", \.service.http.threads, in: 1...64, "threads that answer requests"),
        .time("drain-timeout", \.service.drainTimeout, in: upToAnHour, "how long a stop may take"),
        Option(
            "allowed-host", "NAMES", \.service.allowedHosts, "further names of this server, by commas",
            read: hostNames),
        Option(
            "allowed-origin", "ORIGINS", \.service.allowedOrigins, "sites whose pages may use the API, by commas",
            read: origins),
    ]

    private static let upToAnHour: ClosedRange<Duration> = .milliseconds(100)...(.seconds(3_600))
}
