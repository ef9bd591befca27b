#if HummingbirdLock
public import Hummingbird
public import PasscodeLock
public import PortcullisCore
internal import WebScreens

/// The lock of a web app: one for each signed-in session, and the gate that its requests go through.
///
/// The host signs people in, as it likes, and then calls ``signIn(_:replacing:keeping:prompts:)``. All else follows: put ``gate(for:)`` before
/// the routes, and ``head`` into the head of each page.
public final class WebLock: Sendable {
    /// How it behaves.
    public let configuration: WebLockConfiguration
    let clock: any LockClock
    let sessions: SessionTable

    /// A lock without sessions.
    ///
    /// - Parameters:
    ///   - configuration: how it behaves.
    ///   - clock: that of the services that are handed in later.
    public init(_ configuration: WebLockConfiguration = WebLockConfiguration(), clock: any LockClock) {
        self.configuration = configuration
        self.clock = clock
        sessions = SessionTable(configuration, clock: clock)
    }

    /// What belongs into the head of each page of the host: the script that tells whether the page is seen, and takes what
    /// it shows out of the document when the session locks.
    public var head: String {
        "<script src=\"\(HTMLText.escaped(configuration.base + WebAsset.script.name))\" defer></script>"
    }

    /// How many sessions there are.
    public var sessionCount: Int { sessions.count }

    /// Why a sign-in is refused.
    public enum SignInRefusal: Error, Sendable, Hashable {
        /// There are ``WebLockConfiguration/maximumSessions`` sessions.
        case full
    }

    /// Begins the session of a person whom the host has signed in.
    ///
    /// A session that the request came with ends, so that a cookie which another person has planted or read is worth
    /// nothing afterwards.
    ///
    /// - Parameters:
    ///   - service: the person's passcode.
    ///   - request: the request that signed in.
    ///   - attachment: what the host keeps with the session.
    ///   - prompts: what shows the prompts of the service's authenticator in the browser.
    /// - Returns: the session, and the cookie for the answer.
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
            configuration: configuration,
            forget: { [weak sessions] in sessions?.remove($0) }
        )
        guard await sessions.add(session) else { throw .full }
        await session.start()
        return (session, cookie(session.token, life: Int(configuration.life.components.seconds)))
    }

    /// Ends the session of a request.
    ///
    /// - Returns: the cookie for the answer, which takes the browser's away.
    public func signOut(_ request: Request) async -> Cookie {
        await session(of: request)?.end()
        return cookie("", life: 0)
    }

    /// The session of a request; `nil` where there is none, or it has expired.
    public func session(of request: Request) -> WebSession? {
        request.cookies[configuration.cookieName].flatMap { sessions.session($0.value) }
    }

    /// The gate that requests go through.
    ///
    /// - Parameter context: the host's kind of context.
    public func gate<Context: RequestContext>(for context: Context.Type = Context.self) -> WebLockGate<
        Context
    > {
        WebLockGate(lock: self)
    }

    private func cookie(_ value: String, life: Int) -> Cookie {
        Cookie(
            name: configuration.cookieName,
            value: value,
            maxAge: life,
            path: "/",
            secure: configuration.isSecure,
            httpOnly: true,
            sameSite: .lax
        )
    }
}
#endif
