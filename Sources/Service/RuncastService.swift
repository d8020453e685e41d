import Computations
import EventSources
import FanOut
public import HTTPServer
import Hub
public import Jobs
import Primitives
public import Storage

/// A whole Runcast server: hub, fan-out, jobs, the ticker and the routes before them.
///
/// Threading: every method may be called from any thread. A service starts once and stops once.
public final class RuncastService: Sendable {
    private let configuration: ServiceConfiguration
    private let store: Store?
    private let reopener: JobTopicReopener?
    private let hub: Hub
    private let fanOut: FanOut
    private let pool: WorkerPool
    private let engine: JobEngine
    private let ticker: Ticker
    private let http: HTTPServer
    private let isStopping: Locked<Bool>

    /// Opens the store and puts the parts together; nothing listens yet. Blocks while the store is read.
    /// - Throws: when the page's folder or the store can't be read, or the store is another server's.
    public init(_ configuration: ServiceConfiguration) throws(ServiceError) {
        let page = try Self.page(configuration.publicFolder)
        let time = TimeSource.system
        let store = try Self.store(configuration)
        let (hub, ticks) = try Self.hub(configuration, store, time)
        let fanOut = FanOut(hub: hub, configuration: configuration.fanOut, time: time)
        let pool = WorkerPool(threadCount: configuration.workers)
        let jobTopics = JobTopics(hub: hub, retention: configuration.retention, time: time)
        let engine = JobEngine(
            kinds: KindRegistry([SquareRootSum()]), pool: pool, sink: jobTopics,
            store: store.map { JobJournal($0.journal, topics: jobTopics) } ?? VolatileJobStore(),
            records: try Self.records(store), limits: Self.jobLimits(configuration))
        jobTopics.readSnapshots(from: engine)
        let reopener = store.map { JobTopicReopener(hub: hub, topics: jobTopics, store: $0) }
        let ticker = Ticker(hub: hub, topic: ticks, interval: configuration.tickInterval)
        let isStopping = Locked(false)
        let streaming = Streaming(
            hub: hub, fanOut: fanOut, retryMilliseconds: configuration.retryMilliseconds,
            maxSubscriptions: configuration.hub.maxSubscriptions, compresses: configuration.compressesStreams,
            reopener: reopener)
        let router = Self.router(
            configuration, page: page, hub: hub, store: store, fanOut: fanOut, engine: engine,
            ticker: ticker,
            streaming: streaming, isReady: { !isStopping.withLock { $0 } })
        http = HTTPServer(
            configuration: configuration.http,
            respondWhileStopping: Self.guarded(configuration) { .now(streaming.refusal(.draining, to: $0)) },
            respond: Self.guarded(configuration) { router.respond(to: $0) })
        self.configuration = configuration
        (self.hub, self.fanOut, self.pool, self.engine, self.ticker) = (hub, fanOut, pool, engine, ticker)
        (self.store, self.reopener, self.isStopping) = (store, reopener, isStopping)
    }

    /// Decides on the runs that an earlier life of the server left unfinished, listens and starts the ticker.
    /// - Returns: the port.
    /// - Throws: `HTTPServerError` when the address can't be had.
    public func start() async throws(HTTPServerError) -> Start {
        // Before anybody can ask, so that nobody sees a run under way that is not.
        let recovery = await engine.recover()
        let port = try http.start()
        if let retention = configuration.store?.retention {
            store?.startRetention(retention, telling: HubRetention(hub: hub))
        }
        await ticker.start()
        return Start(port: port, recovery: recovery)
    }

    public struct Start: Sendable {
        public let port: Int
        /// What became of the runs that were not over.
        public let recovery: JobRecovery
    }

    /// See `Store.reportTrouble(to:)`. Without a store it is never called.
    public func reportStoreTrouble(to report: @escaping @Sendable (StoreError?) -> Void) {
        store?.reportTrouble(to: report)
    }

    /// Stops in order: no new work, runs cancelled, streams ended with a word to come back, connections closed.
    ///
    /// Watchers see the end of their runs before their streams end. Takes the configured `drainTimeout` at most, and
    /// the grace for the last answers.
    public func stop() async {
        isStopping.withLock { $0 = true }
        let start = ContinuousClock.now
        await engine.shutDown(within: configuration.drainTimeout / 2)
        await ticker.retire()
        hub.drain()
        let elapsed = ContinuousClock.now - start
        let (fanOut, http, pool, store, reopener) = (fanOut, http, pool, store, reopener)
        let bound = max(.milliseconds(100), configuration.drainTimeout - elapsed)
        // The stops block; they must not hold a thread of the cooperative pool.
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            _ = OwnThread(name: "stop") {
                // What was sent to be published is recorded and answered.
                store?.journal.finish()
                http.stop()
                fanOut.stop(within: bound)
                pool.stop()
                reopener?.stop()
                store?.close()
                continuation.resume()
            }
        }
    }

    private static func router(
        _ configuration: ServiceConfiguration, page: StaticFiles?, hub: Hub, store: Store?, fanOut: FanOut,
        engine: JobEngine,
        ticker: Ticker, streaming: Streaming, isReady: @escaping @Sendable () -> Bool
    ) -> Router {
        var router = Router()
        StreamRoutes(
            hub: hub, streaming: streaming, sources: [Hub.ticksName: ticker],
            publisher: Publisher(
                hub: hub, journal: store?.journal, retention: configuration.retention,
                maxOpenTopics: configuration.hub.maxOpenTopics)
        ).add(to: &router)
        JobRoutes(engine: engine, streaming: streaming).add(to: &router)
        OperationsRoutes(hub: hub, fanOut: fanOut, engine: engine, store: store, isReady: isReady).add(to: &router)
        if let page { router.otherwise = { .now(page.response(to: $0) ?? Router.notFound.response) } }
        return router
    }

    /// Behind the guard, and with the fields that every answer has.
    private static func guarded(
        _ configuration: ServiceConfiguration, _ respond: @escaping @Sendable (Request) -> Reply
    ) -> @Sendable (Request) -> Reply {
        let guardian = RequestGuard(
            allowedHosts: configuration.allowedHosts.union([configuration.http.host.lowercased()]),
            allowedOrigins: configuration.allowedOrigins)
        var fields = safety
        // Without this, a cache could give one origin the answer that was made for another.
        if !guardian.allowedOrigins.isEmpty { fields["Vary"] = "Origin" }
        return { [fields] request in
            if let problem = guardian.refusal(of: request) { return .now(problem.response).adding(fields) }
            guard let origin = guardian.corsOrigin(of: request) else { return respond(request).adding(fields) }
            if request.method == .options, request.headers["Access-Control-Request-Method"] != nil {
                return .now(CORS.preflight(for: origin)).adding(fields)
            }
            return respond(request).adding(CORS.fields(for: origin)).adding(fields)
        }
    }

    /// For the browser: take the content type as it is, run nothing that is not of this origin, let nobody frame the page.
    private static let safety: Headers = [
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        "Referrer-Policy": "no-referrer",
    ]
}

extension Hub {
    /// The built-in topic.
    static let ticksName: TopicName = {
        guard let name = try? TopicName("ticks") else { preconditionFailure("a valid name") }
        return name
    }()

    /// A hub without topics takes this one.
    func makeTicks() -> Topic {
        do {
            return try makeTopic(
                Self.ticksName, access: .source, policy: .latest, retention: Retention(maxEvents: 256))
        } catch {
            preconditionFailure("the hub is new: \(error)")
        }
    }
}

extension Ticker: ControllableSource {}
