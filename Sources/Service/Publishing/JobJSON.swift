import Jobs
import Primitives

/// Jobs, runs and their events as JSON. What is nil is left out.
enum JobJSON {
    static func job(_ job: JobSnapshot, withRuns: Bool, to json: inout JSONWriter) {
        json.object { json in
            let current = job.currentRun
            json.member("jobID", job.id)
            json.member("kind", job.kind)
            json.member("state", job.state.rawValue)
            json.member("input", job.input)
            json.member("timeoutSeconds", job.job.timeout.map(seconds))
            json.member("createdAt", job.createdAt)
            links(jobID: job.id, runID: current.id, to: &json)
            json.object("currentRun") { run(current, of: job.id, to: &$0) }
            if withRuns {
                json.array("runs", job.runs) { run, json in
                    json.object { Self.run(run, of: job.id, to: &$0) }
                }
            }
        }
    }

    /// The members of a run.
    static func run(_ run: Run, of jobID: UniqueID, to json: inout JSONWriter) {
        state(of: run, in: jobID, to: &json)
        json.object("links") { json in
            let links = Links(jobID: jobID, runID: run.id)
            json.member("self", links.run)
            json.member("events", links.runEvents)
            json.member("result", links.result)
        }
    }

    /// The data of a `snapshot` event: what all events of the run so far amount to.
    static func snapshot(_ run: Run, of jobID: UniqueID, kind: String, at time: Timestamp) -> [UInt8] {
        JSONWriter.object { json in
            state(of: run, in: jobID, to: &json)
            json.member("kind", kind)
            json.member("seq", run.lastSeq)
            json.member("time", time)
        }
    }

    static func event(_ event: JobEvent) -> [UInt8] {
        JSONWriter.object { json in
            json.member("jobID", event.jobID)
            json.member("runID", event.runID)
            json.member("ordinal", event.ordinal)
            json.member("seq", event.seq)
            json.member("time", event.time)
            switch event.payload {
            case .queued, .started, .timedOut, .end: break
            case .progress(let progress): members(of: progress, to: &json)
            case .cancelRequested(let reason), .cancelled(let reason): members(of: reason, to: &json)
            case .succeeded(let result): json.member("result", result)
            case .failed(let problem): error(problem, to: &json)
            case .lost(let reason): json.member("reason", reason)
            }
        }
    }

    /// The member `links` of a job and one of its runs.
    static func links(jobID: UniqueID, runID: UniqueID, to json: inout JSONWriter) {
        json.object("links") { json in
            let links = Links(jobID: jobID, runID: runID)
            json.member("self", links.job)
            json.member("events", links.jobEvents)
            json.member("cancel", links.cancel)
            json.member("run", links.run)
            json.member("runEvents", links.runEvents)
            json.member("result", links.result)
        }
    }

    private static func state(of run: Run, in jobID: UniqueID, to json: inout JSONWriter) {
        json.member("jobID", jobID)
        json.member("runID", run.id)
        json.member("ordinal", run.ordinal)
        json.member("state", run.state.rawValue)
        json.member("input", run.input)
        json.member("timeoutSeconds", run.timeout.map(seconds))
        if let reason = run.cancelReason { members(of: reason, to: &json) }
        if let progress = run.progress { json.object("progress") { members(of: progress, to: &$0) } }
        json.member("result", run.result)
        if let problem = run.problem { error(problem, to: &json) }
        json.member("createdAt", run.createdAt)
        json.member("startedAt", run.startedAt)
        json.member("finishedAt", run.finishedAt)
    }

    private static func members(of progress: RunProgress, to json: inout JSONWriter) {
        json.member("current", progress.current)
        json.member("total", progress.total)
        json.member("unit", progress.unit)
        json.member("message", progress.message)
    }

    private static func members(of reason: CancelReason, to json: inout JSONWriter) {
        json.member("reason", reason.cause.rawValue)
        json.member("note", reason.note)
    }

    private static func error(_ problem: RunProblem, to json: inout JSONWriter) {
        json.object("error") { json in
            json.member("code", problem.code)
            json.member("message", problem.message)
        }
    }

    private static func seconds(_ duration: Duration) -> JSONValue {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? .integer(Int64(seconds)) : .number(seconds)
    }
}
