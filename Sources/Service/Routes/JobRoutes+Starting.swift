import HTTPServer
import Hub
import Jobs
import Primitives

/// Starting and cancelling.
extension JobRoutes {
    func addStarting(to router: inout Router) {
        router.on(.post, "/v1/jobs") { request, _ in
            start(request) { () throws(Problem) in try newJob(nil, request) }
        }
        router.on(.put, "/v1/jobs/{jobID}") { request, path in
            start(request) { () throws(Problem) in try newJob(try path.id("jobID"), request) }
        }
        router.on(.post, "/v1/jobs/{jobID}/runs") { request, path in
            start(request) { () throws(Problem) in try newRun(of: try path.id("jobID"), request) }
        }
        router.on(.post, "/v1/jobs/{jobID}/cancel") { request, path in
            later { () throws(Problem) in try await cancel(try path.id("jobID"), request) }
        }
    }

    /// Starts a run; with `Accept: text/event-stream` the answer is the stream of that run's events.
    private func start(
        _ request: Request, _ read: @escaping @Sendable () throws(Problem) -> StartRequest
    ) -> Reply {
        later { () throws(Problem) in
            let wantsStream = asksFor(eventStream: request)
            let cancelsOnDisconnect = try request.query.flag("cancelOnDisconnect")
            guard !cancelsOnDisconnect || wantsStream else {
                throw .malformed(
                    "It goes with Accept: text/event-stream, where there is a connection to lose.",
                    field: "cancelOnDisconnect")
            }
            // Whatever is wrong with the stream is said before anything starts.
            let subscription = try SubscriptionRequest(of: request, topics: [])
            if wantsStream { try streaming.requireRoom() }
            var startRequest = try read()
            startRequest.idempotencyKey = idempotencyKey(of: request)
            let receipt: StartReceipt
            do throws(JobError) {
                receipt = try await engine.start(startRequest)
            } catch {
                throw Problem(error)
            }
            guard wantsStream else { return .response(answer(receipt, to: request)) }
            // A repeated request may be answered with a run of an earlier life of the server.
            await streaming.reopen([JobTopicName.run(receipt.jobID, receipt.runID)])
            // A run that others started is not this connection's to cancel.
            let holdsRun = cancelsOnDisconnect && receipt.started
            return try stream(receipt, subscription, for: request, holdsRun: holdsRun)
                ?? .response(answer(receipt, to: request))
        }
    }

    /// The events of the run that was started.
    /// - Parameter holdsRun: the run is cancelled when the connection is lost, or can't be had.
    /// - Returns: nil when there is no stream although there was room a moment ago: the run goes on without it.
    private func stream(
        _ receipt: StartReceipt, _ subscriptionRequest: SubscriptionRequest, for request: Request, holdsRun: Bool
    ) throws(Problem) -> FinalReply? {
        var subscriptionRequest = subscriptionRequest
        subscriptionRequest.topics = [JobTopicName.run(receipt.jobID, receipt.runID)]
        // Whoever loses the connection before the first event finds the run there.
        let location = Links(jobID: receipt.jobID, runID: receipt.runID).run
        do throws(HubError) {
            guard holdsRun else { return try streaming.open(subscriptionRequest, for: request, location: location) }
            return try streaming.open(subscriptionRequest, for: request, location: location) {
                cancelAfterDisconnect(receipt)
            }
        } catch .ended {
            return .response(.noContent)
        } catch {
            guard holdsRun else { return nil }
            cancelAfterDisconnect(receipt)
            throw .unavailable(
                "There is no stream to be had any more, so the run \(receipt.runID) that was started is cancelled again."
            )
        }
    }

    /// Only the run that the connection was for: a newer one is not its business.
    private func cancelAfterDisconnect(_ receipt: StartReceipt) {
        Task {
            _ = try? await engine.cancel(receipt.jobID, runID: receipt.runID, reason: .disconnected)
        }
    }

    private func answer(_ receipt: StartReceipt, to request: Request) -> Response {
        let status =
            switch receipt.disposition {
            case .created: request.method == .put ? 201 : 202
            case .started, .queued: 202
            case .joined, .unchanged: 200
            }
        let links = Links(jobID: receipt.jobID, runID: receipt.runID)
        let location =
            switch receipt.disposition {
            case .created, .unchanged: links.job
            case .started, .queued, .joined: links.run
            }
        return .json(status: status, headers: ["Location": location]) { json in
            json.member("jobID", receipt.jobID)
            json.member("runID", receipt.runID)
            json.member("ordinal", receipt.ordinal)
            json.member("kind", receipt.kind)
            json.member("state", receipt.state.rawValue)
            json.member("started", receipt.started)
            json.member("replaces", receipt.replaces)
            JobJSON.links(jobID: receipt.jobID, runID: receipt.runID, to: &json)
        }
    }

    private func newJob(_ id: UniqueID?, _ request: Request) throws(Problem) -> StartRequest {
        var members = try Members(of: try JSONBody(of: request).value)
        let kind = try members.takeString("kind")
        let input = members.take("input") ?? [:]
        let timeout = try members.takeSeconds("timeoutSeconds")
        try members.finish()
        guard let kind else { throw .invalid("Name a kind: GET /v1/kinds lists them.", field: "kind") }
        return StartRequest(.newJob(id: id, kind: kind, input: input), timeout: timeout)
    }

    private func newRun(of jobID: UniqueID, _ request: Request) throws(Problem) -> StartRequest {
        var members = try Members(of: request.body.isEmpty ? [:] : try JSONBody(of: request).value)
        let input = members.take("input")
        let policy: ConflictPolicy? = try members.takeChoice("onConflict")
        let timeout = try members.takeSeconds("timeoutSeconds")
        try members.finish()
        return StartRequest(
            .existingJob(jobID, input: input, onConflict: policy ?? .reject), timeout: timeout)
    }

    /// The fingerprint stands for the whole request: whoever makes two of them collide fools nobody but himself.
    private func idempotencyKey(of request: Request) -> IdempotencyKey? {
        guard let key = request.headers["Idempotency-Key"] else { return nil }
        let route = "\(request.method.rawValue) /\(request.path.joined(separator: "/"))\n"
        return IdempotencyKey(key, fingerprint: Fingerprint(of: Array(route.utf8) + request.body).description)
    }

    // MARK: Cancelling

    private func cancel(_ jobID: UniqueID, _ request: Request) async throws(Problem) -> FinalReply {
        var members = try Members(of: request.body.isEmpty ? [:] : try JSONBody(of: request).value)
        let runID = try members.takeID("runID")
        let note = try members.takeString("reason")
        let force = try members.takeBool("force") ?? false
        try members.finish()
        guard note.map({ $0.utf8.count <= Self.maxNoteBytes }) ?? true else {
            throw .invalid("It can have \(Self.maxNoteBytes) bytes at most.", field: "reason")
        }
        let receipt: CancelReceipt
        do throws(JobError) {
            receipt = try await engine.cancel(
                jobID, runID: runID, reason: CancelReason(.user, note: note), force: force)
        } catch {
            throw Problem(error)
        }
        return .response(
            .json(status: receipt.disposition == .requested ? 202 : 200) { json in
                json.member("jobID", receipt.jobID)
                json.member("runID", receipt.runID)
                json.member("ordinal", receipt.ordinal)
                json.member("state", receipt.state.rawValue)
                json.member("applied", receipt.applied)
                json.member("message", message(receipt))
                JobJSON.links(jobID: receipt.jobID, runID: receipt.runID, to: &json)
            })
    }

    /// Bytes of the words that a canceller may leave.
    private static let maxNoteBytes = 512

    private func message(_ receipt: CancelReceipt) -> String {
        switch receipt.disposition {
        case .requested: "Cancellation requested"
        case .ended: "Cancelled"
        case .unchanged: "The run was over: it is \(receipt.state.rawValue)"
        }
    }
}
