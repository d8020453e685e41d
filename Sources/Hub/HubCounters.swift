/// What subscriptions were not given, or got from the history, all of them together, since the hub was made. Counters only
/// grow.
public struct HubCounters: Sendable, Equatable {
    /// Events left out because a newer one was there, under the policy `latest`.
    public internal(set) var conflated: UInt64 = 0
    /// Gaps that subscriptions were told of; each stands for one event or more that can't be had any more.
    public internal(set) var gaps: UInt64 = 0
    /// Pages that were read from the history: each once, however many subscriptions got it.
    public internal(set) var historyPages: UInt64 = 0
    /// Events that subscriptions got from such pages.
    public internal(set) var historyEvents: UInt64 = 0
}
