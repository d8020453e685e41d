/// What a start means while another run of the job is under way.
public enum ConflictPolicy: String, Sendable, Hashable, CaseIterable {
    /// Refuse the start; the run under way goes on.
    case reject
    /// Start nothing: the answer is the run under way, even one that is being cancelled.
    case join
    /// The new run is current at once. The current run and those queued behind it are cancelled as superseded;
    /// the new one does not wait until they have stopped.
    case replace
    /// The new run waits behind the current one and becomes current when its turn comes.
    case queue
}
