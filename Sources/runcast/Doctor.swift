import Glibc
import Primitives
import Storage

/// Looks into a data directory and says what is there.
/// - Returns: the exit status: 0 when all is sound, 1 when something is wrong or can't be read.
func examine(_ directory: String, asJSON: Bool) -> Int32 {
    do throws(StoreError) {
        let report = try Store.examine(directory)
        let text = asJSON ? report.json + [UInt8(ascii: "\n")] : Array(report.text.utf8)
        try StandardOutput().write(text)
        return report.problems.isEmpty ? 0 : 1
    } catch {
        complain(error.description)
        return 1
    }
}

extension StoreReport {
    /// For people: a line for each thing.
    fileprivate var text: String {
        var lines = ["\(directory): \(problems.isEmpty ? "sound" : "NOT SOUND, see below")"]
        func add(_ name: String, _ value: String) {
            lines.append("  " + name + String(repeating: " ", count: max(1, 16 - name.count)) + value)
        }
        add("used by", holder.map { $0 == 0 ? "a process" : "process \($0)" } ?? "nobody")
        add("made", "\(createdAt), schema \(schemaVersion), epoch \(epoch), position \(position)")
        add("files", files.map { "\($0.name) \(rounded(bytes: $0.bytes))" }.joined(separator: ", "))
        add("in use", rounded(bytes: usedBytes))
        add("jobs", listed(jobs))
        add("runs", listed(runs))
        add("keys", "\(idempotencyKeys); \(tombstones) IDs of what is no longer kept")
        add("topics", "\(openTopics.count) that clients made")
        for topic in openTopics { add("  \(topic.name)", " " + topic.text) }
        add(
            "topics of jobs",
            "\(jobTopics.topics): \(jobTopics.events) events, \(rounded(bytes: jobTopics.bytes))")
        if removedTopics > 0 { add("removed topics", "\(removedTopics), whose events are yet to go") }
        for problem in problems { lines.append("  WRONG: \(problem)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func listed(_ counts: [String: Int]) -> String {
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return "none" }
        let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "\(total): \(parts.joined(separator: ", "))"
    }

    /// For programs.
    fileprivate var json: [UInt8] {
        JSONWriter.object { json in
            json.member("directory", directory)
            json.member("isSound", problems.isEmpty)
            json.array("problems", problems) { $1.value($0) }
            json.member("holder", holder.map(Int.init))
            json.member("createdAt", createdAt)
            json.member("schemaVersion", schemaVersion)
            json.member("epoch", epoch)
            json.member("position", Int(clamping: position))
            json.array("files", files) { file, json in
                json.object { json in
                    json.member("name", file.name)
                    json.member("bytes", file.bytes)
                }
            }
            json.member("usedBytes", usedBytes)
            json.member("jobs", .object(jobs.mapValues { .integer(Int64($0)) }))
            json.member("runs", .object(runs.mapValues { .integer(Int64($0)) }))
            json.member("idempotencyKeys", idempotencyKeys)
            json.member("tombstones", tombstones)
            json.array("openTopics", openTopics) { topic, json in topic.write(&json) }
            json.object("jobTopics") { json in
                json.member("topics", jobTopics.topics)
                json.member("events", jobTopics.events)
                json.member("bytes", jobTopics.bytes)
            }
            json.member("removedTopics", removedTopics)
        }
    }
}

extension StoreReport.Topic {
    fileprivate var text: String {
        guard let first, let last else { return "no events, of \(published) published" }
        return "\(events) events, \(rounded(bytes: bytes)), of \(published) published, \(first) to \(last)"
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("events", events)
            json.member("bytes", bytes)
            json.member("published", published)
            json.member("first", first)
            json.member("last", last)
        }
    }
}

/// With one fractional digit, for people.
private func rounded(bytes: Int) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where bytes >= 1 << shift {
        let tenths = (bytes * 10 + 1 << (shift - 1)) >> shift
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    return "\(bytes) B"
}
