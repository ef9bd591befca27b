#if HummingbirdLock
public import Hummingbird
public import PasscodeLock
public import PortcullisCore
internal import WebScreens

/// The lock of a web app. It keeps the lock of each signed-in session, and provides the gate that requests
/// pass.
///
/// The host signs people in by its own means and then calls ``signIn(_:replacing:keeping:prompts:)``. The
/// host puts ``gate(for:)`` before its routes, and ``head`` into the head of each page.
public final class WebLock: Sendable {
    /// The settings of the lock.
    public var configuration: WebLockConfiguration { shared.value }
    let shared: SharedConfiguration
    let clock: any LockClock
    let sessions: SessionTable

    /// Makes a lock without sessions.
    ///
    /// - Parameters:
    ///   - configuration: the settings of the lock.
    ///   - clock: the lock's clock. The services that are passed to ``signIn(_:replacing:keeping:prompts:)``
    ///     use the same clock.
    public init(_ configuration: WebLockConfiguration = WebLockConfiguration(), clock: any LockClock) {
        shared = SharedConfiguration(configuration)
        self.clock = clock
        sessions = SessionTable(shared, clock: clock)
    }

    /// The HTML element that the host puts into the `<head>` of each page behind the gate. Its script reports
    /// whether the page is visible, and removes the content from the document when the session locks.
    public var head: String {
        "<script src=\"\(HTMLText.escaped(shared.value.base + WebAsset.script.name))\" defer></script>"
    }

    /// The number of sessions.
    public var sessionCount: Int { sessions.count }

    /// The reason why a sign-in is refused.
    public enum SignInRefusal: Error, Sendable, Hashable {
        /// The number of sessions has reached ``WebLockConfiguration/maximumSessions``.
        case full
    }

    /// Begins the session of a person whom the host has signed in.
    ///
    /// If the request belongs to a session, that session ends. So a cookie that another person has planted or
    /// read is invalid afterwards.
    ///
    /// - Parameters:
    ///   - service: the service of the person's passcode.
    ///   - request: the request that signs in.
    ///   - attachment: a value that the host keeps with the session.
    ///   - prompts: shows the prompts of the service's authenticator in the browser.
    /// - Returns: the session, and the cookie for the response.
    /// - Throws: ``SignInRefusal/full``.
    public func signIn(
        _ service: PasscodeService,
        replacing request: Request,
        keeping attachment: (any Sendable)? = nil,
        prompts: WebPrompts? = nil
    ) async throws(SignInRefusal) -> (session: WebSession, cookie: Cookie) {
        await session(of: request)?.end()
        let session = WebSession(
            service,
            attachment: attachment,
            prompts: prompts,
            clock: clock,
            shared: shared,
            forget: { [weak sessions] in sessions?.remove($0) },
            endAll: { [weak sessions] in sessions?.endAll(of: $0) }
        )
        guard await sessions.add(session) else { throw .full }
        await session.start()
        return (session, cookie(session.token, life: Int(shared.value.life.components.seconds)))
    }

    /// Ends the session of a request.
    ///
    /// The host must answer this request with a response that has no content, such as a redirect. The gate
    /// replaces any other response by a redirect to the sign-in, or by status 401. The cookies of the host's
    /// response are kept.
    ///
    /// - Returns: the cookie for the response, which deletes the browser's cookie.
    public func signOut(_ request: Request) async -> Cookie {
        await session(of: request)?.end()
        return cookie("", life: 0)
    }

    /// Returns the session of a request; `nil` if there is none or it has expired.
    public func session(of request: Request) -> WebSession? {
        SessionCookie.value(of: shared.cookieName, in: request.headers).flatMap { sessions.session($0) }
    }

    /// Makes the gate that requests pass.
    ///
    /// - Parameter context: the type of the host's request context.
    public func gate<Context: RequestContext>(for context: Context.Type = Context.self) -> WebLockGate<
        Context
    > {
        WebLockGate(lock: self)
    }

    private func cookie(_ value: String, life: Int) -> Cookie {
        Cookie(
            name: shared.cookieName,
            value: value,
            maxAge: life,
            path: "/",
            secure: shared.value.isSecure,
            httpOnly: true,
            sameSite: .lax
        )
    }
}
#endif
