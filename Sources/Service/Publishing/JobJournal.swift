import Hub
import Jobs
import Primitives
import Storage

/// Records jobs together with the events of their topics, in one transaction, and hands the recorded events to those who
/// publish them.
///
/// Threading: called by the engine on its own thread, one call at a time.
final class JobJournal: JobStore {
    private let journal: Journal
    private let topics: JobTopics

    init(_ journal: Journal, topics: JobTopics) {
        (self.journal, self.topics) = (journal, topics)
    }

    var isDurable: Bool { true }

    func commit(_ changes: [JobRecordChange], telling tell: () -> Void) throws(JobStoreError) {
        do throws(StoreError) {
            _ = try journal.record { recording throws(StoreError) in
                var batch = Batch()
                for change in changes { try self.record(change, in: &recording, &batch) }
                return batch.events
            } telling: { events in
                topics.recorded(events)
                tell()
            }
        } catch {
            // What SQLite said is for the log: see Store.reportTrouble(to:).
            throw JobStoreError(error.message, isFull: error.isFull)
        }
    }

    private struct Batch {
        var events: [RecordedJobEvent] = []
        /// What was found of topics that the hub does not have yet.
        var opened: [TopicName: Int64] = [:]
    }

    private func record(
        _ change: JobRecordChange, in recording: inout Recording, _ batch: inout Batch
    ) throws(StoreError) {
        switch change {
        case .eventAppended(let event): try record(event, in: &recording, &batch)
        case .currentRunChanged(let jobID, _, let ordinal):
            let overtaken = try recording.unfinishedRuns(of: jobID, below: ordinal)
            let names =
                overtaken.map { JobTopicName.run(jobID, $0) } + (overtaken.isEmpty ? [] : [JobTopicName.job(jobID)])
            for name in names {
                guard let key = try recording.topic(named: name.text) else { continue }
                try recording.withdraw(key, taggedBelow: JobTopics.tag(ofRun: ordinal))
            }
        case .runEvicted(let jobID, let runID): try remove([JobTopicName.run(jobID, runID)], in: &recording)
        case .jobEvicted(let jobID, let runIDs):
            try remove(runIDs.map { JobTopicName.run(jobID, $0) } + [JobTopicName.job(jobID)], in: &recording)
        case .jobCreated, .runChanged, .versionChanged, .keyRemembered: break
        }
        try recording.apply(change)
    }

    private func record(
        _ event: JobEvent, in recording: inout Recording, _ batch: inout Batch
    ) throws(StoreError) {
        let newEvent = JobTopics.encoded(event)
        let run = try append(newEvent, to: JobTopicName.run(event.jobID, event.runID), in: &recording, &batch)
        let job = try append(newEvent, to: JobTopicName.job(event.jobID), in: &recording, &batch)
        batch.events.append(RecordedJobEvent(event: newEvent, run: run, job: job))
    }

    private func append(
        _ event: NewEvent, to name: TopicName, in recording: inout Recording, _ batch: inout Batch
    ) throws(StoreError) -> RecordedJobEvent.Place {
        let known: Int64? =
            if let opened = batch.opened[name] { opened } else { try recording.topic(named: name.text) }
        let key = if let known { known } else { try recording.makeTopic(name.text, isOpen: false) }
        var stored: StoredTopic?
        if batch.opened[name] == nil, !topics.isOpen(name) {
            stored = known == nil ? StoredTopic(key: key) : try recording.stored(key)
            batch.opened[name] = key
        }
        return RecordedJobEvent.Place(position: try recording.append(event, to: key), stored: stored)
    }

    private func remove(_ names: [TopicName], in recording: inout Recording) throws(StoreError) {
        for name in names {
            if let key = try recording.topic(named: name.text) { try recording.removeTopic(key) }
        }
    }
}

/// An event as it was recorded in the topics of its run and of its job.
struct RecordedJobEvent: Sendable {
    struct Place: Sendable {
        let position: UInt64
        /// What was stored of the topic before the event, for the first event of a topic that the hub does not have.
        let stored: StoredTopic?
    }

    let event: NewEvent
    let run: Place
    let job: Place
}
