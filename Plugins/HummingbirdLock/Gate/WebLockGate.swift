#if HummingbirdLock
public import Hummingbird
internal import HTTPTypes
internal import PortcullisCore
internal import WebScreens

/// The middleware that applies the lock to the routes after it (W-2).
///
/// While a session is locked, no byte of content is sent. A request for a page is answered with the lock
/// screen and status 423, and every other request with a problem document (RFC 9457). A response that is
/// being sent is cut off.
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
        await session.arrived(origin.cause)
        guard session.gate.isOpen else { return await Answers.locked(session, request, origin) }
        let response = try await response(to: request, context, next)
        let gate = session.gate
        if gate.isOpen,
            let response = try await Answers.guarded(response, mayBeKept: false)
                .gated(by: gate, at: lock.clock.now.sinceBoot)
        {
            return response
        }
        // The session was locked or ended while the host made its response.
        guard gate.isOver else { return await Answers.locked(session, request, origin) }
        // The host may have ended the session in this request, for example by signing the person out. A
        // response without content may be sent even after the end of the session.
        guard response.body.contentLength == 0 else {
            return Answers.signIn(origin, shared, cookies: response.headers[values: .setCookie])
        }
        return Answers.guarded(response, mayBeKept: false)
    }

    /// Returns the host's response. If the host throws an error that makes a response of its own, that
    /// response is returned. So the gate can hold this response back, too. The router would make it outside
    /// of the gate.
    @concurrent
    private func response(
        to request: Request,
        _ context: Context,
        _ next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as any HTTPResponseError {
            return try error.response(from: request, context: context)
        }
    }
}
#endif
