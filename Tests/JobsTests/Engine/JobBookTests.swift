import Primitives
import Testing

@testable import Jobs

struct JobBookTests {
    private static let moment = Moment(wall: Verb.time, monotonic: .zero)
    private var book = JobBook(limits: JobLimits(), maxRunningRuns: 1, at: moment)
    private let moment = Self.moment

    @Test mutating func `a run that was cancelled while it waited leaves no place in the queue`() throws {
        _ = try start()
        let second = try start()
        #expect(book.queue.map(\.jobID) == [second.jobID])
        let cancel = CancelRequest(jobID: second.jobID, runID: nil, reason: .user, force: false)
        _ = try book.cancel(cancel, at: moment)
        #expect(book.queue.isEmpty)
        #expect(book.metrics.queuedRuns == 0)
    }

    @Test mutating func `a failed commit takes back all there was`() throws {
        let first = try start()
        book.commitSucceeded()
        book.begin()
        _ = try start(key: "k")
        _ = try book.cancel(
            CancelRequest(jobID: first.jobID, runID: nil, reason: .user, force: true), at: moment)
        book.commitFailed()
        #expect(book.jobs.keys.sorted() == [first.jobID])
        #expect(book.jobs[first.jobID]?.state == .running)
        #expect(book.jobs[first.jobID]?.version == 2)
        #expect(book.order.entries.map(\.id) == [first.jobID])
        #expect(book.queue.isEmpty)
        #expect(book.keys.count == 0)
        #expect(book.busyRuns == [first.runID])
        #expect(book.metrics.jobsByState.filter { $0.value > 0 } == [.running: 1])
        #expect(book.effects.isEmpty && book.changes.isEmpty)
    }

    @Test mutating func `a job that was dropped is gone for what comes in the same transaction`() throws {
        var limits = JobLimits()
        limits.maxJobs = 1
        book = JobBook(limits: limits, maxRunningRuns: 2, at: moment)
        book.begin()
        let first = try start()
        book.runFinished(first.jobID, first.runID, .stopped, lastProgress: nil, at: moment)
        _ = try start()
        #expect(throws: JobError.self) { try book.find(first.jobID) }
        #expect(book.tombstones[first.jobID] != nil && book.tombstones[first.runID] != nil)
        book.commitFailed()
        #expect(book.tombstones.count == 0)
    }

    private mutating func start(key: String? = nil) throws -> StartReceipt {
        let key = key.map { IdempotencyKey($0, fingerprint: "f") }
        return try book.start(
            PreparedStart(
                request: StartRequest(.newJob(kind: "test", input: nil), idempotencyKey: key), kind: "test",
                input: nil, work: { _ in .null }, newJobID: .random(), newRunID: .random()),
            at: moment)
    }
}
