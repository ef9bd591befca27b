#if HummingbirdLock
public import PasscodeLock
public import PortcullisCore
public import WebScreens

/// How the lock of a web app behaves.
public struct WebLockConfiguration: Sendable {
    /// A screen of the host's that is shown over its content, such as the goal lock's settings; it returns when that has
    /// closed.
    public typealias Screen = @Sendable (isolated WebSession) async -> Void

    /// The folder of the lock's own addresses; begins and ends with a slash. No route of the host lies in it.
    public var base: String
    /// Where a person signs in, a path of the host; pages without a session lead there.
    public var signIn: String
    /// Paths that need no session, such as the sign-in's: each one itself, and all beneath one that ends with a slash.
    public var open: [String]
    /// What a browser calls this site, such as "https://desk.example"; `nil`: what each request says in `Host`.
    public var origin: String?
    /// Whether it is served over TLS; without, the cookie could be read on the way. `false` is for a machine's own address.
    public var isSecure: Bool
    /// How long a page may be silent before the person counts as gone.
    public var heartbeat: Duration
    /// How long a session lives without a sign of life.
    public var idleLife: Duration
    /// How long a session lives in all.
    public var life: Duration
    /// The most sessions there are; a sign-in beyond is refused.
    public var maximumSessions: Int
    /// The most sessions a user has; the one longest silent makes room.
    public var maximumSessionsOfUser: Int
    /// The most posts and questions that a session may send in a second, on the average; four times as many at once.
    public var maximumPostsPerSecond: Int
    /// The texts of the lock's screens.
    public var strings: PasscodeStrings
    /// The texts of the pages besides.
    public var pageStrings: WebStrings
    /// Screens of the host, each by its name: `base` + "screen/" + name shows it.
    public var screens: [String: Screen]
    /// Does what has to be done between a right proof and the uncovering; see `LockDriver.Host.prepare`.
    public var prepare: @Sendable (UserID, UnlockProof) async -> LockDriver.Admission

    /// A configuration.
    ///
    /// - Parameters:
    ///   - signIn: where a person signs in.
    ///   - open: paths that need no session; the sign-in is one of them without being named.
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

    /// Whether a path needs no session; one that a server might read as another path needs one.
    func isOpen(_ path: String) -> Bool {
        if path == signIn { return true }
        guard !path.contains("/."), !path.contains("//"), !path.contains(where: { $0 == "%" || $0 == "\\" })
        else {
            return false
        }
        return open.contains { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 }
    }

    /// The cookie's name; the prefix makes browsers refuse one that another host or an unsafe page sets.
    var cookieName: String { isSecure ? "__Host-portcullis" : "portcullis" }
}
#endif
