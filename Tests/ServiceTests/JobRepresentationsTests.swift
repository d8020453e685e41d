import HTTPServer
import Jobs
import Primitives
import Testing

@testable import Service

/// The text of a job is kept from one GET to the next: none may ever be of another record than the newest.
struct JobRepresentationsTests {
    @Test func `who is told of a change finds it in the next GET`() async throws {
        let spy = GetAtEachEvent()
        try await JobServer.run(sink: spy) { server in
            spy.watch(server)
            let id = try await server.create(["steps": 50])
            _ = await server.engine.waitUntilTerminal(id, for: .seconds(60))
            try await server.replaceRun(of: id, ["steps": 50, "endless": true])
            for step in 1...20 {
                try await server.replaceRun(of: id, ["steps": .integer(Int64(step)), "endless": true])
            }
            _ = try await server.engine.cancel(id)
            _ = await server.engine.waitUntilTerminal(id, for: .seconds(60))
        }
        // 22 runs, each queued, started or not, asked to stop or done, ended.
        #expect(spy.findings.gets >= 22 * 3)
        #expect(spy.findings.stale == 0)
        #expect(spy.findings.tagsOfSeveralTexts == 0)
    }

    @Test func `many who ask during changes get nothing older than what was recorded when they asked`() async throws {
        try await JobServer.run { server in
            var ids: [UniqueID] = []
            for _ in 1...4 { ids.append(try await server.create(["steps": 1, "endless": true])) }
            let isOver = Locked(false)
            let stale = await withTaskGroup(of: Int.self) { [ids] readers in
                for _ in 1...3 {
                    readers.addTask {
                        var stale = 0
                        while !isOver.withLock({ $0 }) {
                            for id in ids where isStale(server, id) { stale += 1 }
                            await Task.yield()
                        }
                        return stale
                    }
                }
                for step in 1...150 {
                    for id in ids {
                        try? await server.replaceRun(of: id, ["steps": .integer(Int64(step)), "endless": true])
                    }
                }
                isOver.withLock { $0 = true }
                return await readers.reduce(0, +)
            }
            #expect(stale == 0)
            for id in ids {
                // 1 of the creation, 150 replacements.
                #expect(server.engine.job(id).value?.currentRun.ordinal == 151)
                // Workers still come and go, so the record may change between the two looks at it.
                let isStaleInTheEnd = isStale(server, id)
                #expect(!isStaleInTheEnd)
            }
        }
    }

    @Test func `of more jobs than there are places each gets its own text`() async throws {
        try await JobServer.run { server in
            var ids: [UniqueID] = []
            for number in 1...(2 * JobRepresentations.places) {
                let id = try await server.create(["number": .integer(Int64(number))])
                _ = await server.engine.waitUntilTerminal(id, for: .seconds(60))
                ids.append(id)
            }
            for _ in 1...2 {
                for id in ids { #expect(server.isCurrent(id)) }
            }
        }
    }

    @Test func `a job that gets the ID of one that is long gone is not mistaken for it`() async throws {
        try await JobServer.run {
            ($0.maxJobs, $0.maxTombstones) = (1, 0)
        } _: { server in
            // The clock stands still: all that differs is the job.
            let id = UniqueID.random()
            var (texts, tags): (Set<[UInt8]>, Set<String?>) = ([], [])
            for name in ["first", "other"] {
                _ = try await server.create(["name": .string(name)], id: id)
                _ = await server.engine.waitUntilTerminal(id, for: .seconds(60))
                let response = server.get(id)
                texts.insert(response.body)
                tags.insert(response.headers["ETag"])
                let usurper = try await server.create([:])
                _ = await server.engine.waitUntilTerminal(usurper, for: .seconds(60))
                #expect(server.get(id).status == 404)
            }
            #expect(texts.count == 2)
            #expect(tags.count == 2)
        }
    }

    @Test func `one text serves all who ask, and 304 tells its length`() async throws {
        try await JobServer.run { server in
            let id = try await server.create([:])
            _ = await server.engine.waitUntilTerminal(id, for: .seconds(60))
            let (one, other) = (server.get(id), server.get(id))
            #expect(storage(of: one.body) == storage(of: other.body))
            let unchanged = server.get(id, headers: ["If-None-Match": try #require(one.headers["ETag"])])
            #expect(unchanged.status == 304)
            #expect(storage(of: unchanged.body) == storage(of: one.body))
            try await server.replaceRun(of: id, [:])
            _ = await server.engine.waitUntilTerminal(id, for: .seconds(60))
            let changed = server.get(id, headers: ["If-None-Match": try #require(one.headers["ETag"])])
            #expect(changed.status == 200)
            #expect(server.isCurrent(id))
        }
    }

    @Test func `a text beyond the bound is not kept`() async throws {
        try await JobServer.run { server in
            let long = String(repeating: "x", count: JobRepresentations.maxTextBytes)
            let id = try await server.create(["text": .string(long)])
            _ = await server.engine.waitUntilTerminal(id, for: .seconds(60))
            let (one, other) = (server.get(id), server.get(id))
            #expect(storage(of: one.body) != storage(of: other.body))
            #expect(server.isCurrent(id))
        }
    }

    private func storage(of bytes: [UInt8]) -> UnsafeRawPointer? { bytes.withUnsafeBytes { $0.baseAddress } }
}

/// Whether GET answers with something older than the record before it, or with the text of another record.
private func isStale(_ server: JobServer, _ id: UniqueID) -> Bool {
    guard let before = server.engine.job(id).value else { return true }
    let response = server.get(id)
    guard let after = server.engine.job(id).value else { return true }
    // If it changed meanwhile, any record from the one to the other will do; the version is the tag's last number.
    guard let tag = response.headers["ETag"], let version = Int(tag.split(separator: "-").last?.dropLast() ?? "")
    else { return true }
    switch version {
    case before.version: return response.body != before.expectedText
    case after.version: return response.body != after.expectedText
    default: return !(before.version...after.version).contains(version)
    }
}

/// On the engine's thread, where nothing changes meanwhile, asks for the job of each event and compares.
private final class GetAtEachEvent: JobEventSink {
    struct Findings {
        var gets = 0
        var stale = 0
        var tagsOfSeveralTexts = 0
        var texts: [String: [UInt8]] = [:]
    }

    private let server = Locked<JobServer?>(nil)
    private let found = Locked(Findings())

    var findings: Findings { found.withLock { $0 } }

    func watch(_ server: JobServer) { self.server.withLock { $0 = server } }

    func emit(_ event: JobEvent) {
        guard let server = server.withLock({ $0 }) else { return }
        let response = server.get(event.jobID)
        let expected = server.engine.job(event.jobID).value?.expectedText
        found.withLock { found in
            found.gets += 1
            if response.body != expected { found.stale += 1 }
            let tag = response.headers["ETag"] ?? ""
            if let known = found.texts.updateValue(response.body, forKey: tag), known != response.body {
                found.tagsOfSeveralTexts += 1
            }
        }
    }

    func currentRunChanged(jobID: UniqueID, ordinal: Int) {}
    func runEvicted(jobID: UniqueID, runID: UniqueID) {}
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID]) {}
}
