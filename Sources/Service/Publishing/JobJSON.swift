import Jobs
import Primitives

/// Jobs, runs and their events as JSON.
enum JobJSON {
    static func job(_ snapshot: JobSnapshot, withRuns: Bool) -> JSONValue {
        .object([
            "jobID": .id(snapshot.id),
            "kind": .string(snapshot.kind),
            "state": .string(snapshot.state.rawValue),
            "input": snapshot.input,
            "timeoutSeconds": snapshot.job.timeout.map(seconds),
            "createdAt": .time(snapshot.createdAt),
            "currentRun": run(snapshot.currentRun, of: snapshot.id),
            "runs": withRuns ? .array(snapshot.runs.map { run($0, of: snapshot.id) }) : nil,
            "links": links(jobID: snapshot.id, runID: snapshot.currentRun.id),
        ])
    }

    static func run(_ run: Run, of jobID: UniqueID) -> JSONValue {
        var object = state(of: run, in: jobID)
        object["links"] = .object([
            "self": .string(Links.run(jobID, run.id)), "events": .string(Links.events(jobID, run.id)),
            "result": .string(Links.result(jobID, run.id)),
        ])
        return .object(object)
    }

    /// The data of a `snapshot` event: what all events of the run so far amount to.
    static func snapshot(_ run: Run, of jobID: UniqueID, kind: String, at time: Timestamp) -> JSONValue {
        var object = state(of: run, in: jobID)
        object["kind"] = .string(kind)
        object["seq"] = .integer(Int64(run.lastSeq))
        object["time"] = .time(time)
        return .object(object)
    }

    static func event(_ event: JobEvent) -> JSONValue {
        var object: [String: JSONValue] = [
            "jobID": .id(event.jobID), "runID": .id(event.runID), "ordinal": .integer(Int64(event.ordinal)),
            "seq": .integer(Int64(event.seq)), "time": .time(event.time),
        ]
        switch event.payload {
        case .queued, .started, .timedOut, .end: break
        case .progress(let progress): object.merge(members(of: progress)) { own, _ in own }
        case .cancelRequested(let reason), .cancelled(let reason):
            object["reason"] = .string(reason.cause.rawValue)
            object["note"] = reason.note.map(JSONValue.string)
        case .succeeded(let result): object["result"] = result
        case .failed(let problem): object["error"] = error(problem)
        case .lost(let reason): object["reason"] = .string(reason)
        }
        return .object(object)
    }

    static func links(jobID: UniqueID, runID: UniqueID) -> JSONValue {
        [
            "self": .string(Links.job(jobID)),
            "events": .string(Links.events(jobID)),
            "cancel": .string(Links.job(jobID) + "/cancel"),
            "run": .string(Links.run(jobID, runID)),
            "runEvents": .string(Links.events(jobID, runID)),
            "result": .string(Links.result(jobID, runID)),
        ]
    }

    private static func state(of run: Run, in jobID: UniqueID) -> [String: JSONValue] {
        var object: [String: JSONValue] = [
            "jobID": .id(jobID), "runID": .id(run.id), "ordinal": .integer(Int64(run.ordinal)),
            "state": .string(run.state.rawValue), "input": run.input, "createdAt": .time(run.createdAt),
        ]
        object["timeoutSeconds"] = run.timeout.map(seconds)
        object["reason"] = run.cancelReason.map { .string($0.cause.rawValue) }
        object["note"] = run.cancelReason?.note.map(JSONValue.string)
        object["progress"] = run.progress.map { .object(members(of: $0)) }
        object["result"] = run.result
        object["error"] = run.problem.map(error)
        object["startedAt"] = run.startedAt.map(JSONValue.time)
        object["finishedAt"] = run.finishedAt.map(JSONValue.time)
        return object
    }

    private static func members(of progress: RunProgress) -> [String: JSONValue] {
        var object: [String: JSONValue] = ["current": .integer(Int64(progress.current))]
        object["total"] = progress.total.map { .integer(Int64($0)) }
        object["unit"] = progress.unit.map(JSONValue.string)
        object["message"] = progress.message.map(JSONValue.string)
        return object
    }

    private static func error(_ problem: RunProblem) -> JSONValue {
        ["code": .string(problem.code), "message": .string(problem.message)]
    }

    private static func seconds(_ duration: Duration) -> JSONValue {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? .integer(Int64(seconds)) : .number(seconds)
    }
}

/// The paths of jobs and runs.
enum Links {
    static func job(_ id: UniqueID) -> String { "/v1/jobs/\(id)" }
    static func run(_ jobID: UniqueID, _ runID: UniqueID) -> String { "/v1/jobs/\(jobID)/runs/\(runID)" }
    static func result(_ jobID: UniqueID, _ runID: UniqueID) -> String { run(jobID, runID) + "/result" }
    static func events(_ jobID: UniqueID) -> String { job(jobID) + "/events" }
    static func events(_ jobID: UniqueID, _ runID: UniqueID) -> String { run(jobID, runID) + "/events" }
}
