import Primitives

/// The paths of a job and one of its runs.
struct Links {
    let job: String
    let run: String

    init(jobID: UniqueID, runID: UniqueID) {
        job = "/v1/jobs/\(jobID)"
        run = "\(job)/runs/\(runID)"
    }

    var jobEvents: String { job + "/events" }
    var cancel: String { job + "/cancel" }
    var runEvents: String { run + "/events" }
    var result: String { run + "/result" }
}
