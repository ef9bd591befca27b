#if HummingbirdLock
public import Hummingbird
internal import HTTPTypes
internal import WebScreens

/// Protects the routes after it with the lock (W-2).
///
/// While a session is locked, no byte of content is sent. A page gets the lock screen with status 423, and
/// every other request a problem document (RFC 9457). A response that is being sent is cut off.
public struct WebLockGate<Context: RequestContext>: RouterMiddleware {
    let lock: WebLock

    /// Answers a request itself or passes it to the next responder.
    @concurrent
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let shared = lock.shared
        let origin = RequestOrigin(request, shared)
        guard !origin.isForeignAct else {
            return Answers.problem(.forbidden, "This request came from another site.")
        }
        let path = request.uri.path
        if path.hasPrefix(shared.value.base) {
            return try await LockRoutes(lock: lock, origin: origin).answer(request, context: context)
        }
        guard let session = lock.session(of: request) else {
            if shared.isOpen(path) {
                return Answers.guarded(try await next(request, context), mayBeKept: true)
            }
            return Answers.signIn(origin, shared)
        }
        if shared.isOpen(path) {
            return Answers.guarded(try await next(request, context), mayBeKept: true)
        }
        if origin.isVisit { await session.visited() }
        guard session.gate.isOpen else { return await Answers.locked(session, request, origin) }
        let response = try await next(request, context)
        guard let passing = try await response.passing(session.gate) else {
            return session.gate.isOver
                ? Answers.signIn(origin, shared, cookies: response.headers[values: .setCookie])
                : await Answers.locked(session, request, origin)
        }
        return Answers.guarded(passing, mayBeKept: false)
    }
}
#endif
