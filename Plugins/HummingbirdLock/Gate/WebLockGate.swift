#if HummingbirdLock
public import Hummingbird
internal import HTTPTypes
internal import WebScreens

/// Protects the routes after it with the lock (W-2).
///
/// While a session is locked, no byte of content is sent. A page gets the lock screen with status 423, and every other
/// request a problem document (RFC 9457). A response that is being sent is cut off.
public struct WebLockGate<Context: RequestContext>: RouterMiddleware {
    let lock: WebLock

    /// Answers a request itself or passes it to the next responder.
    @concurrent
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let configuration = lock.configuration
        let origin = RequestOrigin(request, configuration)
        guard !origin.isForeignAct else {
            return Answers.problem(.forbidden, "This request came from another site.")
        }
        let path = request.uri.path
        if path.hasPrefix(configuration.base) {
            return try await LockRoutes(lock: lock, origin: origin).answer(request, context: context)
        }
        guard let session = lock.session(of: request) else {
            if configuration.isOpen(path) {
                return Answers.guarded(try await next(request, context), mayBeKept: true)
            }
            return Answers.signIn(origin, configuration)
        }
        if configuration.isOpen(path) {
            return Answers.guarded(try await next(request, context), mayBeKept: true)
        }
        if origin.isVisit { await session.visited() }
        guard session.gate.isOpen else { return await Answers.locked(session, request, origin) }
        let response = try await next(request, context)
        // The session may have been locked while the host made its response. Then the response is dropped.
        guard session.gate.isOpen || session.gate.isOver else {
            return await Answers.locked(session, request, origin)
        }
        return Answers.guarded(response, mayBeKept: false).ending(with: session.gate)
    }
}
#endif
