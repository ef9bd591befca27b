#if HummingbirdLock
public import PasscodeLock
public import PortcullisCore
public import WebScreens

/// The settings of a web app's lock.
public struct WebLockConfiguration: Sendable {
    /// Shows a screen of the host's over its content, such as the goal lock's settings, and returns when the screen has
    /// closed.
    public typealias Screen = @Sendable (isolated WebSession) async -> Void

    /// The folder of the lock's own addresses; begins and ends with a slash. The host has no routes in it.
    public var base: String
    /// The path of the host at which a person signs in. Pages without a session redirect there.
    public var signIn: String
    /// Paths that need no session, such as the sign-in's. A path that ends with a slash stands for all paths beneath
    /// it.
    public var open: [String]
    /// The site's origin in the browser, such as "https://desk.example"; `nil`: the host that each request names in
    /// `Host`.
    public var origin: String?
    /// Whether the site is served over TLS. Without TLS the cookie can be read on the way, so `false` is only for the
    /// machine's own address.
    public var isSecure: Bool
    /// How long a page may be silent before the person counts as gone.
    public var heartbeat: Duration
    /// How long a session lives after its pages were last heard.
    public var idleLife: Duration
    /// How long a session lives in all.
    public var life: Duration
    /// The most sessions in all. A further sign-in is refused.
    public var maximumSessions: Int
    /// The most sessions of a user. A further sign-in ends the session that was silent longest.
    public var maximumSessionsOfUser: Int
    /// How many posts, heartbeats, streams and answers to prompts a session may send in a second on average. At once it
    /// may send four times as many.
    public var maximumPostsPerSecond: Int
    /// The texts of the lock's screens.
    public var strings: PasscodeStrings
    /// The texts of the pages that do not belong to the screens.
    public var pageStrings: WebStrings
    /// The host's screens by their names. The address `base` + "screen/" + name shows a screen.
    public var screens: [String: Screen]
    /// Is called after a right proof, before the content is shown; see `LockDriver.Host.prepare`.
    public var prepare: @Sendable (UserID, UnlockProof) async -> LockDriver.Admission

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - signIn: where a person signs in.
    ///   - open: the paths that need no session. The sign-in needs none either.
    public init(signIn: String = "/login", open: [String] = []) {
        self.signIn = signIn
        self.open = open
        base = "/_lock/"
        isSecure = true
        heartbeat = .seconds(10)
        idleLife = .seconds(12 * 3600)
        life = .seconds(30 * 24 * 3600)
        maximumSessions = 20_000
        maximumSessionsOfUser = 20
        maximumPostsPerSecond = 30
        strings = .english
        pageStrings = .english
        screens = [:]
        prepare = { _, _ in .admitted }
    }
}
#endif
