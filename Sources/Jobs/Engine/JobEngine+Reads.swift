public import Primitives

extension JobEngine {
    /// The job as it was recorded last.
    public func job(_ id: UniqueID) -> Lookup<JobSnapshot> { index.job(id) }

    /// The run of that job as it was recorded last.
    public func run(_ jobID: UniqueID, _ runID: UniqueID) -> Lookup<Run> { index.run(jobID, runID) }

    /// Lists jobs, newest first.
    ///
    /// - Parameters:
    ///   - cursor: ``JobPage/next`` of the page before; nil for the first page. Jobs made since then are not seen; jobs
    ///     dropped since then are skipped.
    ///   - limit: at least 1.
    public func jobs(
        _ filter: JobFilter = JobFilter(), after cursor: JobCursor? = nil, limit: Int = 50
    ) -> JobPage {
        index.jobs(filter, after: cursor, limit: max(1, limit))
    }

    /// As of the last batch.
    public var metrics: JobMetrics { index.metrics }
}
