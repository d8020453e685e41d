import Primitives

@testable import Jobs

/// Workers that do nothing until the test says what they bring back.
final class ScriptedWorkers: RunWorkers {
    struct Worker {
        let jobID: UniqueID
        var isCancelled = false
    }

    private(set) var waiting: Set<UniqueID> = []
    private(set) var busy: [UniqueID: Worker] = [:]
    private(set) var complaints: [String] = []

    func keep(_ work: @escaping KindRegistry.PreparedWork, for runID: UniqueID) {
        if !waiting.insert(runID).inserted || busy[runID] != nil { complaints.append("work of \(runID) kept twice") }
    }

    func drop(_ runID: UniqueID) { waiting.remove(runID) }

    func start(_ jobID: UniqueID, _ runID: UniqueID) {
        if waiting.remove(runID) == nil { complaints.append("\(runID) started without its work") }
        busy[runID] = Worker(jobID: jobID)
    }

    func cancel(_ runID: UniqueID) { busy[runID]?.isCancelled = true }

    func cancelAll() {
        for runID in busy.keys { cancel(runID) }
    }

    /// Again, too, when what it said could not be recorded at first.
    func returned(_ runID: UniqueID) { busy[runID] = nil }
}
