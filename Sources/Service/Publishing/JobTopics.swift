import Hub
import Jobs
import Primitives

/// The names of the topics that carry the events of jobs and runs.
enum JobTopicName {
    static let prefix = "jobs/"

    static func job(_ id: UniqueID) -> TopicName { TopicName(valid: "\(prefix)\(id)") }
    static func run(_ jobID: UniqueID, _ runID: UniqueID) -> TopicName {
        TopicName(valid: "\(prefix)\(jobID)/runs/\(runID)")
    }

    /// The IDs that a name was made of; nil for any other.
    static func ids(in name: TopicName) -> (job: UniqueID, run: UniqueID?)? {
        let segments = name.text.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 2 || segments.count == 4, segments[0] == "jobs", let job = UniqueID(segments[1])
        else { return nil }
        guard segments.count == 4 else { return (job, nil) }
        guard segments[2] == "runs", let run = UniqueID(segments[3]) else { return nil }
        return (job, run)
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
        /// What was recorded and is about to be told, in this order; always empty without a store.
        var recorded = FIFO<RecordedJobEvent>()
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

    /// To be called before the events are emitted, with all of them, in the order in which they will be.
    func recorded(_ events: [RecordedJobEvent]) {
        state.withLock { state in
            for event in events { state.recorded.append(event) }
        }
    }

    func emit(_ event: JobEvent) {
        let recorded = state.withLock { $0.recorded.popFirst() }
        let newEvent = recorded?.event ?? Self.encoded(event)
        let job = job(event.jobID)
        let runTopic = topic(JobTopicName.run(event.jobID, event.runID), recorded?.run.stored)
        let jobTopic = topic(JobTopicName.job(event.jobID), recorded?.job.stored)
        hub.publish(
            newEvent, to: runTopic, at: recorded?.run.position,
            snapshot: job.flatMap { snapshot(of: event.runID, in: $0) },
            isLast: event.payload == .end)
        // The engine decides on several things before it tells of the first, so the job may have a newer run by now than
        // the event's. The topic's snapshot will say so; from that moment on no older value is for a newcomer.
        hub.publish(
            newEvent, to: jobTopic, at: recorded?.job.position,
            snapshot: job.map { snapshot(of: $0.currentRun, in: $0) },
            hidingTaggedBelow: job.map { Self.tag(ofRun: $0.currentRun.ordinal) } ?? 0)
        switch event.payload {
        // One that was queued in an earlier life of the server starts in this one.
        case .queued, .started:
            let run = OpenRun(runID: event.runID, ordinal: event.ordinal, topic: runTopic)
            state.withLock { state in
                if state.openRuns[event.jobID]?.contains(where: { $0.runID == run.runID }) ?? false { return }
                state.openRuns[event.jobID, default: []].append(run)
            }
        case .end:
            state.withLock { state in
                state.openRuns[event.jobID]?.removeAll { $0.runID == event.runID }
                if state.openRuns[event.jobID]?.isEmpty == true { state.openRuns[event.jobID] = nil }
            }
        default: break
        }
    }

    func currentRunChanged(jobID: UniqueID, ordinal: Int) {
        let superseded = state.withLock { ($0.openRuns[jobID] ?? []).filter { $0.ordinal < ordinal } }
        // If there is none, the event that follows makes it of what is stored, and hides what is stale.
        guard let jobTopic = hub.topic(named: JobTopicName.job(jobID)) else { return }
        let (job, tag) = (job(jobID), Self.tag(ofRun: ordinal))
        let jobSnapshot = job.map { snapshot(of: $0.currentRun, in: $0) }
        guard !superseded.isEmpty else {
            // The older runs are over: what they came to was accepted, and stays in its place for who follows already.
            return hub.hide(in: jobTopic, taggedBelow: tag, snapshot: jobSnapshot)
        }
        for run in superseded {
            hub.withdraw(
                from: run.topic, taggedBelow: tag, snapshot: job.flatMap { snapshot(of: run.runID, in: $0) })
        }
        hub.withdraw(from: jobTopic, taggedBelow: tag, snapshot: jobSnapshot)
    }

    func runEvicted(jobID: UniqueID, runID: UniqueID) {
        if let topic = hub.topic(named: JobTopicName.run(jobID, runID)) { hub.removeTopic(topic) }
    }

    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {
        for runID in runIDs { runEvicted(jobID: jobID, runID: runID) }
        if let topic = hub.topic(named: JobTopicName.job(jobID)) { hub.removeTopic(topic) }
    }

    /// Whether the hub has a topic of this name.
    func isOpen(_ name: TopicName) -> Bool { hub.topic(named: name) != nil }

    /// The topic of this name, made if the hub does not have it.
    private func topic(_ name: TopicName, _ stored: StoredTopic? = nil) -> Topic {
        guard let topic = hub.topic(named: name) ?? make(name, stored) else {
            preconditionFailure("a topic with a source is refused only when it exists, and nobody else makes these")
        }
        return topic
    }

    /// Whether the name is that of a topic of a job that is kept.
    func isOfKnownJob(_ name: TopicName) -> Bool {
        guard let id = JobTopicName.ids(in: name) else { return false }
        return job(id.job) != nil
    }

    /// Makes the topic of a job or a run that was recorded in an earlier life of the server. Does nothing when there is
    /// one, or nothing is known of it any more.
    ///
    /// Nothing may be recorded or published meanwhile: see `Store.withStoredTopic`.
    func reopen(_ name: TopicName, from stored: StoredTopic) {
        guard hub.topic(named: name) == nil, let id = JobTopicName.ids(in: name),
            let job = job(id.job)
        else { return }
        if let runID = id.run {
            guard let run = job.run(runID) else { return }
            _ = make(name, stored, snapshot: snapshot(of: run, in: job), isClosed: run.state.isTerminal)
        } else {
            _ = make(
                name, stored, hiddenBelow: Self.tag(ofRun: job.currentRun.ordinal),
                snapshot: snapshot(of: job.currentRun, in: job))
        }
    }

    /// Nil when the hub has one of this name.
    private func make(
        _ name: TopicName, _ stored: StoredTopic?, hiddenBelow: UInt32 = 0, snapshot: Frame? = nil,
        isClosed: Bool = false
    ) -> Topic? {
        try? hub.makeTopic(
            name, access: .source, policy: .all, beginning: .stored, retention: retention, stored: stored,
            hiddenBelow: hiddenBelow, snapshot: snapshot, isClosed: isClosed)
    }

    static func tag(ofRun ordinal: Int) -> UInt32 { UInt32(clamping: ordinal) }

    static func encoded(_ event: JobEvent) -> NewEvent {
        let (name, isValue) = event.payload.nameAndKind
        do {
            return try NewEvent(
                name: name, data: JobJSON.event(event), id: "\(event.ordinal)-\(event.seq)",
                withdrawalTag: isValue ? tag(ofRun: event.ordinal) : 0)
        } catch {
            preconditionFailure("the names and ids of runs' events are valid: \(error)")
        }
    }

    private func job(_ id: UniqueID) -> JobSnapshot? { state.withLock { $0.engine }?.job(id).value }

    private func snapshot(of runID: UniqueID, in job: JobSnapshot) -> Frame? {
        job.run(runID).map { snapshot(of: $0, in: job) }
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
