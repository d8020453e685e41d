import FanOut
import HTTPServer
import Hub
import Jobs
import Primitives
import TestSupport

@testable import Service

/// An engine and the routes of its jobs, without a socket.
struct JobServer: Sendable {
    let engine: JobEngine
    let router: Router
    let clock = ManualClock()

    /// Runs `body`, and takes everything down afterwards.
    static func run(
        sink: any JobEventSink = NoSink(), _ adjust: (inout JobLimits) -> Void = { _ in },
        _ body: (JobServer) async throws -> Void
    ) async throws {
        var limits = JobLimits()
        limits.progressInterval = .zero
        adjust(&limits)
        let (hub, pool) = (Hub(), WorkerPool(threadCount: 2, niceness: 0))
        let fanOut = FanOut(hub: hub)
        let server = JobServer(hub, fanOut, pool, sink, limits)
        let result: Result<Void, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        await server.engine.shutDown()
        hub.drain()
        fanOut.stop(within: .seconds(10))
        pool.stop()
        try result.get()
    }

    private init(_ hub: Hub, _ fanOut: FanOut, _ pool: WorkerPool, _ sink: any JobEventSink, _ limits: JobLimits) {
        engine = JobEngine(
            kinds: KindRegistry([Stepping()]), pool: pool, sink: sink, limits: limits, clock: clock,
            time: clock.timeSource)
        var router = Router()
        JobRoutes(
            engine: engine,
            streaming: Streaming(
                hub: hub, fanOut: fanOut, retryMilliseconds: 1, maxSubscriptions: 1, compresses: false, reopener: nil)
        ).add(to: &router)
        self.router = router
    }

    /// The answer to GET /v1/jobs/{id}.
    func get(_ id: UniqueID, headers: Headers = [:]) -> Response {
        guard let request = try? Request(.get, "/v1/jobs/\(id)", headers: headers),
            case .now(let response) = router.respond(to: request)
        else { preconditionFailure("a job is told of at once") }
        return response
    }

    /// Whether GET tells of the job as it is recorded. For when it does not change.
    func isCurrent(_ id: UniqueID) -> Bool { get(id).body == engine.job(id).value?.expectedText }

    func create(_ input: JSONValue, id: UniqueID? = nil) async throws(JobError) -> UniqueID {
        try await engine.start(StartRequest(.newJob(id: id, kind: "stepping", input: input))).jobID
    }

    func replaceRun(of id: UniqueID, _ input: JSONValue) async throws(JobError) {
        _ = try await engine.start(StartRequest(.existingJob(id, input: input, onConflict: .replace)))
    }
}

extension JobSnapshot {
    /// What GET has to answer as long as this is the job's record: made here, not taken from anywhere.
    var expectedText: [UInt8] {
        var json = JSONWriter()
        JobJSON.job(self, withRuns: true, to: &json)
        return json.bytes + [UInt8(ascii: "\n")]
    }
}

/// Reports `steps` values of progress and succeeds; `{"steps": n, "endless": true}` goes on until it is cancelled.
struct Stepping: Computation {
    let kind = "stepping"
    let title = "Stepping"
    let summary = "Goes step by step."
    let inputSchema: JSONValue = ["type": "object"]

    func validate(_ input: JSONValue) throws(InputError) -> JSONValue { input }

    func run(_ input: JSONValue, _ context: RunContext) async throws -> JSONValue {
        guard case .integer(let steps) = input["steps"] else { return nil }
        for step in 1...max(1, Int(steps)) {
            try context.checkCancellation()
            context.report(RunProgress(current: step))
            await context.pause()
        }
        while input["endless"] == true {
            try context.checkCancellation()
            await context.pause()
        }
        return input
    }
}

struct NoSink: JobEventSink {
    func emit(_ event: JobEvent) {}
    func currentRunChanged(jobID: UniqueID, ordinal: Int) {}
    func runEvicted(jobID: UniqueID, runID: UniqueID) {}
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {}
}
