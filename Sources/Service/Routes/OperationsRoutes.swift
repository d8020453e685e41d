import FanOut
import HTTPServer
import Hub
import Jobs
import Storage

/// What operators and their tools ask.
struct OperationsRoutes: Sendable {
    let hub: Hub
    let fanOut: FanOut
    let engine: JobEngine
    /// Nil when nothing is recorded.
    let store: Store?
    let isReady: @Sendable () -> Bool

    func add(to router: inout Router) {
        router.on(.get, "/livez") { _, _ in .now(.uncached("ok\n")) }
        router.on(.get, "/readyz") { _, _ in
            isReady()
                ? .now(.uncached("ready\n"))
                : .now(Problem.unavailable("The server is stopping.", retryAfter: .seconds(1)).response)
        }
        router.on(.get, "/metrics") { _, _ in
            .now(.uncached(metrics(), contentType: "text/plain; version=0.0.4; charset=utf-8"))
        }
    }

    /// The text format of Prometheus, version 0.0.4.
    private func metrics() -> String {
        let (omitted, delivery, jobs) = (hub.counters, fanOut.counters, engine.metrics)
        var text = MetricsText()
        text.gauge("runcast_subscriptions", "Subscriptions.", hub.subscriptionCount)
        text.counter(
            "runcast_events_conflated_total",
            "Events that subscriptions under the policy latest were not given, as a newer one was there.",
            omitted.conflated)
        text.counter("runcast_gaps_total", "Gaps that subscriptions were told of.", omitted.gaps)
        text.counter(
            "runcast_history_pages_total",
            "Pages of the past that were read from the store, each once for all streams.",
            omitted.historyPages)
        text.counter(
            "runcast_history_events_total", "Events that streams got from such pages.", omitted.historyEvents)
        text.gauge("runcast_stream_connections", "Connections that carry a stream.", delivery.connections)
        text.counter("runcast_stream_events_total", "Events written to streams.", delivery.eventsWritten)
        text.counter(
            "runcast_stream_compressions_total", "Events and the like compressed, each once for all streams.",
            delivery.framesCompressed)
        text.counter("runcast_stream_writes_total", "Writes to streams.", delivery.writes)
        text.counter("runcast_stream_bytes_total", "Bytes written to streams.", delivery.bytesWritten)
        text.counter(
            "runcast_stream_stalled_total", "Streams closed because their client did not read.", delivery.stalled)
        text.gauge(
            "runcast_jobs", "Jobs kept, by the state of their current run.", by: "state",
            RunState.allCases.map { ($0.rawValue, jobs.jobsByState[$0] ?? 0) })
        text.gauge("runcast_runs_queued", "Runs that wait.", jobs.queuedRuns)
        text.gauge("runcast_workers_busy", "Runs that have a worker.", jobs.busyWorkers)
        text.counter("runcast_runs_started_total", "Runs started.", UInt64(jobs.runsStarted))
        text.counter(
            "runcast_runs_ended_total", "Runs that ended, by their terminal state.", by: "state",
            RunState.allCases.filter(\.isTerminal).map { ($0.rawValue, jobs.runsEnded[$0] ?? 0) })
        text.counter(
            "runcast_results_refused_total", "Results that were not accepted, by reason.", by: "reason",
            RefusalReason.allCases.map { ($0.rawValue, jobs.resultsRefused[$0] ?? 0) })
        guard let store = store?.counters else { return text.text }
        text.counter("runcast_store_commits_total", "Transactions of the store.", store.commits)
        text.counter("runcast_store_events_total", "Events recorded.", store.events)
        text.counter("runcast_store_failures_total", "Transactions that failed.", store.failures)
        text.gauge(
            "runcast_store_writable", "1 if the last transaction did not find the store full or broken.",
            store.isWritable ? 1 : 0)
        return text.text
    }
}

extension Response {
    /// Text that is true at this moment only.
    fileprivate static func uncached(
        _ text: String, contentType: String = "text/plain; charset=utf-8"
    ) -> Response {
        var response = Response(contentType: contentType, text: text)
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

struct MetricsText {
    private(set) var text = ""

    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "gauge")
        text += "\(name) \(value)\n"
    }

    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        head(name, help, "counter")
        text += "\(name) \(value)\n"
    }

    mutating func gauge(_ name: String, _ help: String, by label: String, _ values: [(String, Int)]) {
        head(name, help, "gauge")
        samples(name, label, values)
    }

    mutating func counter(_ name: String, _ help: String, by label: String, _ values: [(String, Int)]) {
        head(name, help, "counter")
        samples(name, label, values)
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func samples(_ name: String, _ label: String, _ values: [(String, Int)]) {
        for (value, count) in values { text += "\(name){\(label)=\"\(value)\"} \(count)\n" }
    }
}
