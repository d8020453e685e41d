import HTTPServer
import Hub
import Jobs
import Primitives

/// Kinds, jobs, runs and their streams: reading.
struct JobRoutes: Sendable {
    let engine: JobEngine
    let streaming: Streaming
    private let representations = JobRepresentations()

    init(engine: JobEngine, streaming: Streaming) {
        (self.engine, self.streaming) = (engine, streaming)
    }

    func add(to router: inout Router) {
        router.on(.get, "/v1/kinds") { _, _ in .now(kinds()) }
        router.on(.get, "/v1/jobs") { request, _ in now { () throws(Problem) in try list(request) } }
        router.on(.get, "/v1/jobs/{jobID}") { request, path in job(path, request) }
        router.on(.get, "/v1/jobs/{jobID}/runs/{runID}") { _, path in
            now { () throws(Problem) in
                let (jobID, run) = try find(path)
                return .json { JobJSON.run(run, of: jobID, to: &$0) }
            }
        }
        router.on(.get, "/v1/jobs/{jobID}/runs/{runID}/result") { _, path in
            now { () throws(Problem) in try result(path) }
        }
        router.on(.get, "/v1/jobs/{jobID}/events") { request, path in
            reply { () throws(Problem) in
                let jobID = try path.id("jobID")
                _ = try found(engine.job(jobID))
                return try events(of: JobTopicName.job(jobID), request)
            }
        }
        router.on(.get, "/v1/jobs/{jobID}/runs/{runID}/events") { request, path in
            reply { () throws(Problem) in
                let (jobID, run) = try find(path)
                return try events(of: JobTopicName.run(jobID, run.id), request)
            }
        }
        addStarting(to: &router)
    }

    private func kinds() -> Response {
        .json([
            "kinds": .array(
                engine.kinds.map { kind in
                    [
                        "kind": .string(kind.kind), "title": .string(kind.title),
                        "summary": .string(kind.summary), "inputSchema": kind.inputSchema,
                    ]
                })
        ])
    }

    private func list(_ request: Request) throws(Problem) -> Response {
        var filter = JobFilter(kind: request.query["kind"])
        let states = request.query.values(of: "state")
        if !states.isEmpty { filter.states = try runStates(states) }
        let limit = try request.query.integer("limit", in: 1...500, standard: 50)
        var cursor: JobCursor?
        if let text = request.query["cursor"] {
            guard let value = Int(text), value > 0 else {
                throw .malformed("It must be a \"next\" of this list.", field: "cursor")
            }
            cursor = JobCursor(rawValue: value)
        }
        let page = engine.jobs(filter, after: cursor, limit: limit)
        let response = Response.json { json in
            json.array("jobs", page.jobs) { JobJSON.job($0, withRuns: false, to: &$1) }
            json.member("next", page.next.map { String($0.rawValue) })
        }
        return response.revalidated(for: request, entityTag: "\"\(Fingerprint(of: response.body))\"")
    }

    /// States by their names: each value is one, or several joined by commas.
    private func runStates(_ values: [String]) throws(Problem) -> Set<RunState> {
        var states: Set<RunState> = []
        for name in values.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            guard let state = RunState(rawValue: String(name)) else {
                throw .malformed(
                    "The states are: \(RunState.allCases.map(\.rawValue).joined(separator: ", ")).", field: "state")
            }
            states.insert(state)
        }
        return states
    }

    // MARK: One job

    /// With `Prefer: wait=N` (RFC 7240) it answers when the job is over, or after N seconds as it is then.
    private func job(_ path: PathParameters, _ request: Request) -> Reply {
        guard let wait = preferredWait(request.headers) else {
            return now { () throws(Problem) in try representation(of: try path.id("jobID"), request) }
        }
        return later { () throws(Problem) in
            let jobID = try path.id("jobID")
            _ = await engine.waitUntilTerminal(jobID, for: .seconds(wait))
            var response = try representation(of: jobID, request)
            response.headers.append("Preference-Applied", "wait=\(wait)")
            return .response(response)
        }
    }

    private func representation(of jobID: UniqueID, _ request: Request) throws(Problem) -> Response {
        let snapshot = try found(engine.job(jobID))
        // Weak: the same version may be spelled differently by another release.
        // The time tells this life of the server from another, which may count the same way.
        let tag = "W/\"\(snapshot.createdAt.millisecondsSinceEpoch)-\(snapshot.revision)\""
        return Response.json(text: representations.text(of: snapshot)).revalidated(for: request, entityTag: tag)
    }

    private func preferredWait(_ headers: Headers) -> Int? {
        let fields = headers.values(of: "Prefer")
        if fields.isEmpty { return nil }
        let preferences = fields.flatMap { $0.split { $0 == "," || $0 == ";" } }
        for preference in preferences {
            let parts = preference.filter { $0 != " " && $0 != "\"" }.split(separator: "=")
            if parts.count == 2, parts[0].lowercased() == "wait", let seconds = Int(parts[1]), seconds > 0 {
                return min(seconds, Int(engine.limits.maxWait / .seconds(1)))
            }
        }
        return nil
    }

    // MARK: One run

    /// The result of a run that succeeded, and of no other.
    private func result(_ path: PathParameters) throws(Problem) -> Response {
        let (jobID, run) = try find(path)
        if run.state == .succeeded, let result = run.result {
            return .json { json in
                json.member("jobID", jobID)
                json.member("runID", run.id)
                json.member("result", result)
            }
        }
        throw .conflict(
            run.state.isTerminal
                ? "This run has no result: it is \(run.state.rawValue)."
                : "This run has no result yet: it is \(run.state.rawValue).",
            members: ["state": .string(run.state.rawValue)])
    }

    private func events(of topic: TopicName, _ request: Request) throws(Problem) -> Reply {
        // It was there a moment ago.
        streaming.reply(
            to: request, with: try SubscriptionRequest(of: request, topics: [topic]),
            orIfUnknown: .gone("This job or run is no longer kept."))
    }

    private func find(_ path: PathParameters) throws(Problem) -> (jobID: UniqueID, run: Run) {
        let (jobID, runID) = (try path.id("jobID"), try path.id("runID"))
        _ = try found(engine.job(jobID))
        switch engine.run(jobID, runID) {
        case .found(let run): return (jobID, run)
        case .gone: throw .gone("This run is no longer kept.")
        case .unknown: throw .notFound("The job has no run with this ID.")
        }
    }

    func found(_ lookup: Lookup<JobSnapshot>) throws(Problem) -> JobSnapshot {
        switch lookup {
        case .found(let snapshot): return snapshot
        case .gone: throw .gone("This job is no longer kept.")
        case .unknown: throw .notFound("There is no job with this ID.")
        }
    }
}
