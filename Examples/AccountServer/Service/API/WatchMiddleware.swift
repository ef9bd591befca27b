internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import PortcullisCore

/// The outermost middleware. It turns errors into problems, counts requests, and logs a line for each
/// request.
///
/// The line has the route, but no address, field or body from the client, because any of them could contain a
/// secret that was sent to the wrong place.
struct WatchMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let routes: RouteTable
    let metrics: Metrics
    let clock: any LockClock

    @concurrent
    func handle(
        _ request: Request,
        context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let begin = clock.now.sinceBoot
        let methods = routes.methods(at: request.uri.path)
        let route = methods.isEmpty ? "unknown" : request.uri.path
        let method = methods.contains(request.method.rawValue) ? request.method.rawValue : "other"
        var failure: String?
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            var problem = Problem(error)
            if problem == .notFound, !methods.isEmpty { problem = .wrongMethod(methods) }
            if problem.status >= 500, !(error is Problem) { failure = "\(error)" }
            response = problem.response
        }
        // A client would take a body after HEAD for the next answer on that connection (RFC 9110, 9.3.2).
        if request.method == .head { response.body = ResponseBody() }
        let time = clock.now.sinceBoot - begin
        metrics.countRequest(method, route, response.status.code, time)
        var metadata: Logger.Metadata = [
            "method": "\(method)", "route": "\(route)", "status": "\(response.status.code)",
            "milliseconds": "\(time / .milliseconds(1))",
        ]
        if let failure {
            metadata["reason"] = "\(failure)"
            context.logger.error("request failed", metadata: metadata)
        } else {
            context.logger.info("request", metadata: metadata)
        }
        return response
    }
}

/// Refuses clients that send too much, before anything else is done for them.
struct LimitMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let limiter: AddressLimiter
    /// The limiter of routes that send mail or take codes.
    let codeLimiter: AddressLimiter
    let underWay: RequestsUnderWay
    let trustsForwarded: Bool
    let routes: RouteTable
    let clock: any LockClock

    @concurrent
    func handle(
        _ request: Request,
        context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let forwarded = HTTPField.Name("X-Forwarded-For").flatMap { request.headers[$0] }
        let address = (trustsForwarded ? forwarded.flatMap(ClientNetwork.forwarded) : nil) ?? context.peer
        var context = context
        context.network = ClientNetwork(of: address)
        let now = clock.now.sinceBoot
        // Requests that watch the server are answered even while it is flooded.
        guard !routes.isForWatching(request.uri.path) else { return try await next(request, context) }
        var wait = limiter.count(context.network, at: now)
        if wait == nil, routes.takesCodes(request.uri.path) {
            wait = codeLimiter.count(context.network, at: now)
        }
        if let wait { throw Problem.flooded("Too many requests from your network.", wait) }
        // The router accepts several spellings of a path, but limits, log and document know one. The others
        // are refused.
        guard !routes.methods(at: request.uri.path).isEmpty else { throw Problem.notFound }
        return try await underWay.run(for: context.network) { try await next(request, context) }
    }
}
