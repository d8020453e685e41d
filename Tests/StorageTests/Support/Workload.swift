import Hub
import Jobs
import Primitives
import Storage

/// Transactions that do everything that a store is asked to record.
enum Workload: CaseIterable {
    case makeTopic, createJob, appendLongEvent, overtakeRun, endRuns, evictJob

    func record(_ recording: inout Recording) throws(StoreError) {
        switch self {
        case .makeTopic: try Self.makeTopic(&recording)
        case .createJob: try Self.createJob(&recording)
        case .appendLongEvent: try Self.appendLongEvent(&recording)
        case .overtakeRun: try Self.overtakeRun(&recording)
        case .endRuns: try Self.endRuns(&recording)
        case .evictJob: try Self.evictJob(&recording)
        }
    }

    func record(in store: Store) throws(StoreError) {
        try store.journal.record { recording throws(StoreError) in try record(&recording) }
    }

    private static func makeTopic(_ recording: inout Recording) throws(StoreError) {
        let key = try recording.makeTopic("builds", isOpen: true)
        for number in 0..<3 { _ = try recording.append(.text("build \(number)", id: "b-\(number)"), to: key) }
    }

    private static func createJob(_ recording: inout Recording) throws(StoreError) {
        try recording.apply(.jobCreated(.sample(1), serial: 1))
        try recording.apply(.runChanged(jobID: .job(1), .sample(1, ordinal: 1, .queued)))
        try recording.apply(.runChanged(jobID: .job(1), .sample(1, ordinal: 1, .running, lastSeq: 2)))
        try recording.apply(.versionChanged(jobID: .job(1), 2))
        let job = try recording.makeTopic("jobs/1", isOpen: false)
        let run = try recording.makeTopic("jobs/1/runs/1", isOpen: false)
        for seq in 1...2 {
            for key in [run, job] { _ = try recording.append(.text("\(seq)", id: "1-\(seq)", tag: 1), to: key) }
        }
        try recording.apply(.keyRemembered(.init("k", fingerprint: "f"), receipt, at: recording.time))
    }

    private static func appendLongEvent(_ recording: inout Recording) throws(StoreError) {
        // Longer than a page, so that it takes several.
        let key = try recording.topic(named: "builds")!
        _ = try recording.append(.text(String(repeating: "long ", count: 4_000)), to: key)
    }

    private static func overtakeRun(_ recording: inout Recording) throws(StoreError) {
        // The run is overtaken: its values are withdrawn.
        let other: JSONValue = ["terms": .string(String(repeating: "9", count: 9_000))]
        try recording.apply(.runChanged(jobID: .job(1), .sample(1, ordinal: 1, .cancelling, lastSeq: 3)))
        try recording.apply(.runChanged(jobID: .job(1), .sample(2, ordinal: 2, .queued, input: other)))
        for run in try recording.unfinishedRuns(of: .job(1), below: 2) where run == .run(1) {
            for name in ["jobs/1", "jobs/1/runs/1"] {
                try recording.withdraw(try recording.topic(named: name)!, taggedBelow: 2)
            }
        }
        try recording.apply(.currentRunChanged(jobID: .job(1), runID: .run(2), ordinal: 2))
        try recording.apply(.versionChanged(jobID: .job(1), 3))
    }

    private static func endRuns(_ recording: inout Recording) throws(StoreError) {
        try recording.apply(.runChanged(jobID: .job(1), .sample(1, ordinal: 1, .cancelled, lastSeq: 5)))
        try recording.apply(
            .runChanged(jobID: .job(1), .sample(2, ordinal: 2, .succeeded, result: ["sum": 6.5, "n": 6.0], lastSeq: 4)))
        try recording.apply(.runEvicted(jobID: .job(1), runID: .run(1)))
        try recording.removeTopic(try recording.topic(named: "jobs/1/runs/1")!)
        try recording.apply(.versionChanged(jobID: .job(1), 4))
    }

    private static func evictJob(_ recording: inout Recording) throws(StoreError) {
        try recording.apply(.jobCreated(.sample(2, input: .null), serial: 2))
        try recording.apply(.runChanged(jobID: .job(2), .sample(3, ordinal: 1, .failed, input: .null)))
        try recording.apply(.jobEvicted(.job(1), runIDs: [.run(2)]))
        try recording.removeTopic(try recording.topic(named: "jobs/1")!)
        let key = try recording.makeTopic("jobs/1", isOpen: false)
        _ = try recording.append(.text("again"), to: key)
    }

    private static let receipt = StartReceipt(
        disposition: .created, jobID: .job(1), kind: "sum", runID: .run(1), ordinal: 1, state: .queued,
        replaces: .run(9))

    /// What the database has after each transaction, when nothing fails; first of all, before the first one.
    static func dumps() throws -> [[String]] {
        let folder = Folder()
        let store = try open(folder)
        defer { store.close() }
        var dumps = [try dump(folder.file("runcast.db"))]
        for transaction in allCases {
            try transaction.record(in: store)
            dumps.append(try dump(folder.file("runcast.db")))
        }
        return dumps
    }
}
