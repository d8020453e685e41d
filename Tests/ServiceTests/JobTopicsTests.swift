import Hub
import Jobs
import Primitives
import TestSupport
import Testing

@testable import Service

/// What reaches whom when runs come and go. Events are fed by hand: the engine's own tests are elsewhere.
struct JobTopicsTests {
    let clock = ManualClock()
    let hub: Hub
    let topics: JobTopics
    let jobID = UniqueID.random()
    let firstRun = UniqueID.random()
    let secondRun = UniqueID.random()

    init() {
        hub = Hub(time: clock.timeSource, epoch: "e")
        topics = JobTopics(hub: hub, retention: Retention(), time: clock.timeSource)
    }

    private func emit(_ run: Int, _ seq: Int, _ payload: JobEvent.Payload) {
        topics.emit(
            JobEvent(
                jobID: jobID, runID: run == 1 ? firstRun : secondRun, ordinal: run, seq: seq,
                time: Timestamp(millisecondsSinceEpoch: 0), payload: payload))
    }

    private func follow(run: UniqueID? = nil, after id: String? = nil) throws -> Subscription {
        let name = run.map { JobTopicName.run(jobID, $0) } ?? JobTopicName.job(jobID)
        return try hub.subscribe(
            SubscriptionRequest(topics: [name], lastEventID: id))
    }

    /// The names of the events, with their ids where they have one.
    private func take(_ subscription: Subscription) -> [String] {
        let text = String(
            decoding: hub.take(subscription.handle, maxBytes: .max).frames.flatMap { $0.bytes[$0.textRange] },
            as: UTF8.self)
        return text.split(separator: "\n\n").map { event in
            event.split(separator: "\n").filter { !$0.hasPrefix("data: ") }
                .map { $0.split(separator: " ").last.map(String.init) ?? "" }.joined(separator: " ")
        }
    }

    private func supersedeFirstRun() {
        emit(1, 1, .queued)
        emit(1, 2, .started)
        emit(1, 3, .progress(RunProgress(current: 1)))
        emit(1, 4, .cancelRequested(.superseded))
        topics.currentRunChanged(jobID: jobID, ordinal: 2)
        emit(2, 1, .queued)
        emit(1, 5, .cancelled(.superseded))
        emit(1, 6, .end)
    }

    @Test func `a run's stream ends with the run, the job's goes on`() throws {
        emit(1, 1, .queued)
        let (run, job) = (try follow(run: firstRun), try follow())
        emit(1, 2, .started)
        emit(1, 3, .succeeded(6))
        emit(1, 4, .end)
        #expect(hub.take(run.handle, maxBytes: .max).isLast)
        #expect(take(try follow(run: firstRun)) == ["1-1 queued", "1-2 started", "1-3 succeeded", "1-4 end"])
        #expect(take(job) == ["1-1 queued", "1-2 started", "1-3 succeeded", "1-4 end"])
        #expect(!hub.take(job.handle, maxBytes: .max).isLast)
        #expect(throws: HubError.ended) { try follow(run: firstRun, after: "1-4") }
        #expect(throws: Never.self) { try follow(after: "1-4") }
    }

    @Test func `a watcher that keeps up notices nothing of a withdrawal`() throws {
        emit(1, 1, .queued)
        let job = try follow()
        emit(1, 2, .progress(RunProgress(current: 1)))
        #expect(take(job) == ["1-1 queued", "1-2 progress"])
        emit(1, 3, .cancelRequested(.superseded))
        topics.currentRunChanged(jobID: jobID, ordinal: 2)
        emit(2, 1, .queued)
        emit(1, 4, .cancelled(.superseded))
        #expect(take(job) == ["1-3 cancelRequested", "2-1 queued", "1-4 cancelled"])
    }

    @Test func `a watcher that lags gets no value of a superseded run, but a gap`() throws {
        emit(1, 1, .queued)
        let (job, run) = (try follow(), try follow(run: firstRun))
        emit(1, 2, .progress(RunProgress(current: 1)))
        emit(1, 3, .cancelRequested(.superseded))
        topics.currentRunChanged(jobID: jobID, ordinal: 2)
        emit(2, 1, .queued)
        #expect(take(job) == ["1-1 queued", "gap", "1-3 cancelRequested", "2-1 queued"])
        #expect(take(run) == ["1-1 queued", "gap", "1-3 cancelRequested"])
    }

    @Test func `an accepted result reaches who follows the job, and nobody who comes when a newer run is current`()
        throws
    {
        emit(1, 1, .queued)
        let lagging = try follow()
        emit(1, 2, .progress(RunProgress(current: 1)))
        emit(1, 3, .succeeded(6))
        emit(1, 4, .end)
        topics.currentRunChanged(jobID: jobID, ordinal: 2)
        emit(2, 1, .queued)
        #expect(take(lagging) == ["1-1 queued", "1-2 progress", "1-3 succeeded", "1-4 end", "2-1 queued"])
        #expect(take(try follow()) == ["1-1 queued", "1-4 end", "2-1 queued"])
        // Whoever asks for that run by its own ID gets what it came to.
        #expect(take(try follow(run: firstRun)) == ["1-1 queued", "1-2 progress", "1-3 succeeded", "1-4 end"])
    }

    @Test func `a newcomer after a replace gets no value of the old run and no gap`() throws {
        supersedeFirstRun()
        #expect(
            take(try follow()) == [
                "1-1 queued", "1-2 started", "1-4 cancelRequested", "2-1 queued", "1-5 cancelled", "1-6 end",
            ])
    }

    @Test func `what a newer run had overtaken before it could be told is not told to followers of the job`()
        async throws
    {
        let pool = WorkerPool(threadCount: 1)
        let engine = JobEngine(kinds: KindRegistry([Instant()]), pool: pool, sink: Deaf())
        topics.readSnapshots(from: engine)
        let first = try await engine.start(StartRequest(.newJob(id: jobID, kind: "instant", input: [:])))
        emit(1, 1, .queued)
        emit(1, 2, .progress(RunProgress(current: 1)))
        let lagging = try follow()
        _ = await engine.waitUntilTerminal(jobID, for: .seconds(20))
        let second = try await engine.start(
            StartRequest(.existingJob(jobID, input: nil, onConflict: .replace)))
        // The engine has decided on a second run, and still has to tell of the first one's end.
        emit(1, 3, .succeeded(1))
        #expect(take(lagging) == ["snapshot", "1-1 queued"])
        #expect(take(try follow()) == ["snapshot", "1-1 queued"])
        #expect(take(try follow(run: firstRun)).contains("1-3 succeeded"))
        #expect((first.ordinal, second.ordinal) == (1, 2))
        await engine.shutDown()
        pool.stop()
    }

    @Test func `evicting a job removes its topics and ends their streams`() throws {
        emit(1, 1, .queued)
        let job = try follow()
        topics.jobEvicted(jobID: jobID, runIDs: [firstRun])
        #expect(take(job) == ["end"])
        #expect(throws: HubError.self) { try follow() }
        #expect(hub.topics().isEmpty)
    }
}

private struct Instant: Computation {
    let kind = "instant"
    let title = "Instant"
    let summary = "Is over at once."
    let inputSchema: JSONValue = [:]
    func validate(_ input: JSONValue) throws(InputError) {}
    func run(_ work: Void, _ context: RunContext) async throws -> JSONValue { 1 }
}

/// The engine's events are not for these tests.
private struct Deaf: JobEventSink {
    func emit(_ event: JobEvent) {}
    func currentRunChanged(jobID: UniqueID, ordinal: Int) {}
    func runEvicted(jobID: UniqueID, runID: UniqueID) {}
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {}
}
