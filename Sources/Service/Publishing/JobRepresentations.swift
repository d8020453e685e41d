import Jobs
import Primitives

/// The JSON of the jobs that were asked for lately: made once for each change of a job, shared by all who ask.
///
/// It can't be stale: who asks brings the job as it is recorded at that moment, and gets a text that was made of that very
/// record, or a new one. What is kept of older records, or of jobs that are gone, only takes room until another job
/// needs its place.
///
/// Threading: any thread.
final class JobRepresentations: Sendable {
    private struct Entry {
        let revision: JobRevision
        let text: [UInt8]
    }

    /// Jobs of which a text is kept at most. Which of these places is a job's depends on its ID alone, so that there is
    /// no order of use to keep; two jobs that share one take turns.
    static let places = 256
    /// Bytes of a text that is kept; a longer one is made for each who asks. All together are 4 MiB at most.
    static let maxTextBytes = 16 << 10

    private let entries = Locked([Entry?](repeating: nil, count: places))

    /// The job with all its runs, and a newline.
    func text(of job: JobSnapshot) -> [UInt8] {
        let revision = job.revision
        // Hash values are negative, too; the number of places is a power of two.
        let place = job.id.hashValue & (Self.places - 1)
        if let known = entries.withLock({ $0[place] }), known.revision == revision { return known.text }
        var json = JSONWriter(reservingCapacity: 4 << 10)
        JobJSON.job(job, withRuns: true, to: &json)
        let text = json.bytes + [UInt8(ascii: "\n")]
        if text.count <= Self.maxTextBytes {
            entries.withLock { $0[place] = Entry(revision: revision, text: text) }
        }
        return text
    }
}
