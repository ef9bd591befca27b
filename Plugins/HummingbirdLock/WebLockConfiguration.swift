#if HummingbirdLock
public import PasscodeLock
public import PortcullisCore
public import WebScreens

/// The settings of a web app's lock.
public struct WebLockConfiguration: Sendable {
    /// Shows one of the host's screens over its content, such as the goal lock's settings, and returns when
    /// the screen has closed.
    public typealias Screen = @Sendable (isolated WebSession) async -> Void

    /// The folder of the lock's own addresses. The path begins and ends with a slash. The host must have no
    /// routes in this folder.
    public var base: String
    /// The path of the host at which a person signs in. A request for a page without a session is redirected
    /// to this path.
    public var signIn: String
    /// Paths that need no session. A path that ends with a slash stands for all paths beneath it. The sign-in
    /// path needs no entry.
    public var open: [String]
    /// The site's origin in the browser, such as "https://desk.example". If it is `nil`, a request's origin
    /// must have the host that the request names in `Host`.
    public var origin: String?
    /// Whether the site is served over TLS. Without TLS the cookie can be read in transit. Use `false`
    /// only for a site at a loopback address, such as `localhost`.
    public var isSecure: Bool
    /// The time without a report of a page after which a person counts as absent. A visible page reports
    /// every three seconds, so a time below five seconds counts as five.
    public var heartbeat: Duration
    /// The time after which a session expires if no page has reported.
    public var idleLife: Duration
    /// The time after which a session expires in any case.
    public var life: Duration
    /// The largest number of sessions in total. A further sign-in is refused.
    public var maximumSessions: Int
    /// The largest number of sessions of a user. A further sign-in ends the session whose pages have been
    /// silent the longest.
    public var maximumSessionsOfUser: Int
    /// The largest average number of requests of a session per second. Posts, heartbeats, streams, answers to
    /// prompts and screens over the content count. A burst may have four times that number. A post that locks
    /// the session locks it above the limit too.
    public var maximumPostsPerSecond: Int
    /// The texts of the lock's screens.
    public var strings: PasscodeStrings
    /// The texts that a page adds to the content of a screen, and the language of all texts.
    public var pageStrings: WebStrings
    /// The host's screens by their names. The address `base` + "screen/" + name shows a screen.
    public var screens: [String: Screen]
    /// The function that is called after a correct proof, before the content is shown. See
    /// `LockDriver.Host.prepare`.
    public var prepare: @Sendable (UserID, UnlockProof) async -> LockDriver.Admission
    /// The function that is called after ``prepare`` has admitted a proof. `isUnlocked` is `false` if the
    /// session refused the proof, for instance because it had locked again. It is also `false` if the session
    /// has ended meanwhile. The host then undoes the work of ``prepare``. See `LockDriver.Host.settled`.
    public var settled: @Sendable (UserID, _ isUnlocked: Bool) -> Void

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - signIn: the path at which a person signs in.
    ///   - open: the paths that need no session. The sign-in path needs no entry.
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
        settled = { _, _ in }
    }
}
#endif
