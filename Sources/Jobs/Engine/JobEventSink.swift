public import Primitives

/// Who is told what was decided.
///
/// Threading: called by the ``JobEngine`` on its own thread, after the commit, in the order of the decisions. A call
/// delays every other job, so it must not block; it must not call the engine's async verbs and wait for them.
public protocol JobEventSink: Sendable {
    func emit(_ event: JobEvent)
    /// A newer run is current: nobody who follows the job may get progress, output or a result of a run with a
    /// lesser ordinal any more.
    func currentRunChanged(jobID: UniqueID, ordinal: Int)
    func runEvicted(jobID: UniqueID, runID: UniqueID)
    /// The job was dropped, with the runs that it still had.
    func jobEvicted(jobID: UniqueID, runIDs: [UniqueID])
}
