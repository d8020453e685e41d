import Hub
import Jobs
import Primitives

/// The names of the topics that carry the events of jobs and runs.
enum JobTopicName {
    static let prefix = "jobs/"

    static func job(_ id: UniqueID) -> TopicName { name("\(prefix)\(id)") }
    static func run(_ jobID: UniqueID, _ runID: UniqueID) -> TopicName { name("\(prefix)\(jobID)/runs/\(runID)") }

    private static func name(_ text: String) -> TopicName {
        guard let name = try? TopicName(text) else { preconditionFailure("UUIDs make valid names") }
        return name
    }
}

/// Publishes what the engine decided: each event to the topic of its run, which ends with the run, and to the topic of
/// its job, which follows the job from run to run.
///
/// Values (progress and results) carry the ordinal of their run as a tag. When a newer run supersedes others, their values
/// are withdrawn from the job's topic and from their own: a reader that lags, however far, does not get what has become
/// stale. When it follows a run that is over, that run's values are hidden from those who come from then on.
///
/// Threading: called by the engine on its own thread, one call at a time.
final class JobTopics: JobEventSink {
    private let hub: Hub
    private let retention: Retention
    private let time: TimeSource
    private let state = Locked(State())

    private struct State {
        /// Where snapshots are read from; set once, before the first event.
        var engine: JobEngine?
        /// Runs whose topics have not ended, by job.
        var openRuns: [UniqueID: [OpenRun]] = [:]
    }

    private struct OpenRun {
        let runID: UniqueID
        let ordinal: Int
        let topic: Topic
    }

    init(hub: Hub, retention: Retention, time: TimeSource) {
        self.hub = hub
        self.retention = retention
        self.time = time
    }

    func readSnapshots(from engine: JobEngine) { state.withLock { $0.engine = engine } }

    func emit(_ event: JobEvent) {
        let jobTopic = topic(JobTopicName.job(event.jobID))
        let runTopic = topic(JobTopicName.run(event.jobID, event.runID))
        let newEvent = encoded(event)
        hub.publish(
            newEvent, to: runTopic, snapshot: snapshot(of: event.jobID, run: event.runID),
            isLast: event.payload == .end)
        publish(newEvent, of: event.jobID, to: jobTopic)
        switch event.payload {
        case .queued:
            let run = OpenRun(runID: event.runID, ordinal: event.ordinal, topic: runTopic)
            state.withLock { $0.openRuns[event.jobID, default: []].append(run) }
        case .end:
            state.withLock { state in
                state.openRuns[event.jobID]?.removeAll { $0.runID == event.runID }
                if state.openRuns[event.jobID]?.isEmpty == true { state.openRuns[event.jobID] = nil }
            }
        default: break
        }
    }

    /// The engine decides on several things before it tells of the first, so the job may have a newer run by now than
    /// the event's. The topic's snapshot will say so; from that moment on no older value is for a newcomer.
    private func publish(_ event: NewEvent, of jobID: UniqueID, to topic: Topic) {
        let job = state.withLock { $0.engine }?.job(jobID).value
        hub.publish(
            event, to: topic, snapshot: job.map { snapshot(of: $0.currentRun, in: $0) },
            hidingTaggedBelow: job.map { tag(ofRun: $0.currentRun.ordinal) } ?? 0)
    }

    func currentRunChanged(jobID: UniqueID, ordinal: Int) {
        let superseded = state.withLock { ($0.openRuns[jobID] ?? []).filter { $0.ordinal < ordinal } }
        let jobTopic = topic(JobTopicName.job(jobID))
        guard !superseded.isEmpty else {
            // The older runs are over: what they came to was accepted, and stays in its place for who follows already.
            return hub.hide(in: jobTopic, taggedBelow: tag(ofRun: ordinal), snapshot: snapshot(of: jobID))
        }
        for run in superseded {
            hub.withdraw(
                from: run.topic, taggedBelow: tag(ofRun: ordinal), snapshot: snapshot(of: jobID, run: run.runID))
        }
        hub.withdraw(from: jobTopic, taggedBelow: tag(ofRun: ordinal), snapshot: snapshot(of: jobID))
    }

    func runEvicted(jobID: UniqueID, runID: UniqueID) {
        if let topic = hub.topic(named: JobTopicName.run(jobID, runID)) { hub.removeTopic(topic) }
    }

    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {
        for runID in runIDs { runEvicted(jobID: jobID, runID: runID) }
        if let topic = hub.topic(named: JobTopicName.job(jobID)) { hub.removeTopic(topic) }
    }

    private func topic(_ name: TopicName) -> Topic {
        if let topic = hub.topic(named: name) { return topic }
        guard
            let topic = try? hub.makeTopic(
                name, access: .source, policy: .all, beginning: .stored, retention: retention)
        else {
            preconditionFailure("a topic with a source is refused only when it exists, and nobody else makes these")
        }
        return topic
    }

    private func tag(ofRun ordinal: Int) -> UInt32 { UInt32(clamping: ordinal) }

    private func encoded(_ event: JobEvent) -> NewEvent {
        let (name, isValue) = event.payload.nameAndKind
        do {
            return try NewEvent(
                name: name, data: JobJSON.event(event), id: "\(event.ordinal)-\(event.seq)",
                withdrawalTag: isValue ? tag(ofRun: event.ordinal) : 0)
        } catch {
            preconditionFailure("the names and ids of runs' events are valid: \(error)")
        }
    }

    /// Of the given run, or of the job's current one.
    private func snapshot(of jobID: UniqueID, run runID: UniqueID? = nil) -> Frame? {
        guard let job = state.withLock({ $0.engine })?.job(jobID).value,
            let run = runID.map(job.run) ?? job.currentRun
        else { return nil }
        return snapshot(of: run, in: job)
    }

    private func snapshot(of run: Run, in job: JobSnapshot) -> Frame {
        let data = JobJSON.snapshot(run, of: job.id, kind: job.kind, at: time.wall())
        return Frame(event: "snapshot", data: data)
    }
}

extension JobEvent.Payload {
    /// The event's name, and whether it carries a value of the run: one that a newer run makes stale.
    fileprivate var nameAndKind: (name: String, isValue: Bool) {
        switch self {
        case .queued: ("queued", false)
        case .started: ("started", false)
        case .progress: ("progress", true)
        case .cancelRequested: ("cancelRequested", false)
        case .cancelled: ("cancelled", false)
        case .succeeded: ("succeeded", true)
        case .failed: ("failed", false)
        case .timedOut: ("timedOut", false)
        case .lost: ("lost", false)
        case .end: ("end", false)
        }
    }
}
