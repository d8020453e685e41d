public import HTTPServer
import Hub
import Jobs
import Primitives
public import Storage

/// Why a service could not be put together.
public enum ServiceError: Error, Sendable {
    /// The page's folder can't be read.
    case page(StaticFilesError)
    case store(StoreError)
}

/// The parts that depend on whether there is a store.
extension RuncastService {
    static func page(_ folder: String?) throws(ServiceError) -> StaticFiles? {
        guard let folder else { return nil }
        do throws(StaticFilesError) { return try StaticFiles(folder: folder) } catch { throw .page(error) }
    }

    static func store(_ configuration: ServiceConfiguration) throws(ServiceError) -> Store? {
        guard let store = configuration.store else { return nil }
        var limits = StoreLimits()
        limits.maxTombstones = configuration.jobs.maxTombstones
        limits.maxIdempotencyKeys = configuration.jobs.maxIdempotencyKeys
        limits.maxFileBytes = store.retention.maxFileBytes
        return try reading { () throws(StoreError) in
            try Store(try DataDirectory(store.directory), durability: store.durability, limits: limits)
        }
    }

    /// With the ticker's topic and those that clients made.
    static func hub(
        _ configuration: ServiceConfiguration, _ store: Store?, _ time: TimeSource
    ) throws(ServiceError) -> (Hub, ticks: Topic) {
        guard let store else {
            let hub = Hub(limits: configuration.hub, time: time)
            return (hub, hub.makeTicks())
        }
        let topics = try reading { () throws(StoreError) in try store.openTopics() }
        var limits = configuration.hub
        // Those that are there stay, also if fewer are allowed now.
        limits.maxOpenTopics = max(limits.maxOpenTopics, topics.count)
        let position = try reading { () throws(StoreError) in try store.lastPosition }
        let hub = Hub(
            limits: limits, time: time, epoch: store.epoch, durablePosition: position, history: store.history)
        // First: what a damaged store says of a topic of this name does not count.
        let ticks = hub.makeTicks()
        for (name, stored) in topics {
            guard let name = try? TopicName(name) else { continue }
            _ = try? hub.makeTopic(
                name, access: .open, policy: .all, retention: configuration.retention, stored: stored)
        }
        return (hub, ticks)
    }

    /// Jobs take no more than half of the store, so that there is room for events.
    static func jobLimits(_ configuration: ServiceConfiguration) -> JobLimits {
        var limits = configuration.jobs
        if let store = configuration.store { limits.maxBytes = min(limits.maxBytes, store.retention.maxTotalBytes / 2) }
        return limits
    }

    static func records(_ store: Store?) throws(ServiceError) -> JobRecords {
        guard let store else { return JobRecords() }
        return try reading { () throws(StoreError) in try store.loadJobs() }
    }

    private static func reading<Value>(_ read: () throws(StoreError) -> Value) throws(ServiceError) -> Value {
        do throws(StoreError) { return try read() } catch { throw .store(error) }
    }
}
