public import Primitives

/// A job as it was recorded at one moment.
public struct JobSnapshot: Sendable, Hashable {
    public let job: Job
    /// Grows with each change of the job. Recorded with it, so that a process that comes after counts on.
    public let version: Int
    /// Its place in the order of all jobs ever made. Recorded likewise, and never given twice.
    public let serial: Int

    public init(job: Job, version: Int, serial: Int) {
        (self.job, self.version, self.serial) = (job, version, serial)
    }

    /// Tells this record from every other in the life of the store (a volatile one lives as long as the process): of the same job, of any other, and of a later
    /// one that is given the same ID.
    public var revision: JobRevision { JobRevision(serial: serial, version: version) }

    public var id: UniqueID { job.id }
    public var kind: String { job.kind }
    public var input: JSONValue { job.input }
    public var createdAt: Timestamp { job.createdAt }
    /// Ascending ordinals; the oldest may have been dropped.
    public var runs: [Run] { job.runs }
    /// A job is never seen without a run.
    public var currentRun: Run { job.currentRun ?? job.runs[job.runs.count - 1] }
    /// That of the current run.
    public var state: RunState { currentRun.state }

    public func run(_ id: UniqueID) -> Run? { job.run(id) }
}

/// See ``JobSnapshot/revision``.
public struct JobRevision: Sendable, Hashable, CustomStringConvertible {
    let serial: Int
    let version: Int

    /// Digits and a hyphen: `4-17`.
    public var description: String { "\(serial)-\(version)" }
}

/// Which jobs to list; nil means any.
public struct JobFilter: Sendable, Hashable {
    /// States of the current run.
    public var states: Set<RunState>?
    public var kind: String?

    public init(states: Set<RunState>? = nil, kind: String? = nil) {
        self.states = states
        self.kind = kind
    }

    func matches(_ snapshot: JobSnapshot) -> Bool {
        (kind == nil || snapshot.kind == kind) && (states?.contains(snapshot.state) ?? true)
    }
}

/// A place in the list of jobs, newest first. Valid as long as the store lives.
public struct JobCursor: Sendable, Hashable, RawRepresentable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
}

public struct JobPage: Sendable, Hashable {
    /// Newest first.
    public let jobs: [JobSnapshot]
    /// Where the next page starts; nil at the end.
    public let next: JobCursor?
}

/// What is known of an ID.
public enum Lookup<Value: Sendable>: Sendable {
    case found(Value)
    /// It existed and was dropped to make room.
    case gone
    case unknown

    public var value: Value? {
        if case .found(let value) = self { value } else { nil }
    }
}
