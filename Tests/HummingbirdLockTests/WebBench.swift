#if HummingbirdLock
import FakeBiometrics
import HTTPTypes
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import NIOCore
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import WebScreens

#if Passkeys
import Passkeys
#endif

/// How many pictures the app has made.
final class Pictures: Sendable {
    private let made = Mutex(0)

    var count: Int { made.withLock { $0 } }

    func make() -> ByteBuffer {
        made.withLock { $0 += 1 }
        return ByteBuffer(repeating: 0x58, count: 15_000)
    }
}

/// A small app behind the lock, with a clock that the test turns.
struct WebBench: Sendable {
    static let content = "CONTENT-OF-THE-APP"
    static let right = "834912"

    let storage = InMemorySecretStore.Storage()
    /// The store of each passcode; without one, each passcode has a store over `storage`.
    var store: (any SecretStore)?
    let clock = ManualClock()
    var sealer = FastPasscodeSealer()
    let host = InMemorySession(UserID("ada")!)
    private let configuration: WebLockConfiguration
    private(set) var lock: WebLock
    var throttle = ThrottlePolicy.escalating
    var carriesOutLimitAction = true
    var idleTimeout: Duration?
    /// The biometrics of a person who signs in; without them there are none but passkeys.
    var biometrics: FakeBiometrics?
    /// Whether a person who signs in can use passkeys.
    var hasPasskeys = false
    /// The account behind the passcode; with one a sign-in offers to set a passcode.
    var account: InMemoryPasscodeAccount?
    /// Parts of the streamed response, one for each value.
    let parts: AsyncStream<Void>
    let pictures = Pictures()
    let part: AsyncStream<Void>.Continuation

    init(_ change: (inout WebLockConfiguration) -> Void = { _ in }) {
        var configuration = WebLockConfiguration(open: ["/assets/", "/sign-in"])
        #if Passkeys
        configuration.strings.biometricError = { PasskeyTexts().message(for: $0) }
        #endif
        change(&configuration)
        self.configuration = configuration
        lock = WebLock(configuration, clock: clock)
        (parts, part) = AsyncStream<Void>.makeStream()
    }

    /// The app as a new process serves it: what is stored is kept, sessions are not.
    var relaunched: WebBench {
        var bench = self
        bench.lock = WebLock(configuration, clock: clock)
        return bench
    }

    func service(_ user: String = "ada", biometrics: any BiometricAuthenticator = Unavailable()) throws
        -> PasscodeService
    {
        var passcode = PasscodeConfiguration(appName: "Ledger", throttle: throttle)
        passcode.launch = .never
        passcode.idleTimeout = idleTimeout
        passcode.carriesOutLimitAction = carriesOutLimitAction
        if account != nil { passcode.timeout = .accountPreset }
        return try PasscodeService(
            user: UserID(user)!,
            backends: Backends(
                secrets: store ?? InMemorySecretStore(storage),
                biometrics: biometrics,
                sealer: sealer,
                clock: clock
            ),
            session: host,
            configuration: passcode,
            account: account
        )
    }

    func setPasscode(_ user: String = "ada") async throws {
        try await service(user).set(SecretBytes(copying: Array(Self.right.utf8)))
    }

    /// The passcode of a person who signs in, and what shows its prompts.
    private func signedIn(_ user: String, _ request: Request) throws -> (PasscodeService, WebPrompts?) {
        #if Passkeys
        if hasPasskeys, let host = request.head.authority ?? request.headers[.init("Host")!] {
            let prompts = WebPrompts()
            let site = try RelyingParty(id: "localhost", name: "Ledger", origins: ["http://\(host)"])
            let passkeys = prompts.passkeys(for: site, store: InMemorySecretStore(storage), clock: clock)
            return (try service(user, biometrics: passkeys), prompts)
        }
        #endif
        if let biometrics { return (try service(user, biometrics: biometrics), nil) }
        return (try service(user), nil)
    }

    /// The host's app, as a person would write it.
    var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: lock.gate())
        router.get("/login") { _, _ in "Sign in" }
        router.post("/login") { request, _ -> Response in
            let user = request.uri.queryParameters["user"].map { String($0) } ?? "ada"
            let (service, prompts) = try signedIn(user, request)
            let (session, cookie) = try await lock.signIn(service, replacing: request, prompts: prompts)
            var place = "/"
            if account != nil {
                let report = try? await session.synchronise()
                if try await service.offersSetUp(isEnabled: report?.isEnabled ?? true) {
                    place = "/_lock/setup"
                }
            }
            var response = Response(status: .seeOther, headers: [.location: place])
            response.setCookie(cookie)
            return response
        }
        router.post("/logout") { request, _ -> Response in
            var response = Response(status: .seeOther, headers: [.location: "/login"])
            response.setCookie(await lock.signOut(request))
            return response
        }
        // For a browser, which posts forms.
        let form = { @Sendable (path: String) in
            Response(
                status: .ok,
                headers: [.contentType: "text/html"],
                body: .init(
                    byteBuffer: .init(string: "<form method=post action=\(path)><button>Go</button></form>")
                )
            )
        }
        router.get("/sign-in") { _, _ in form("/login") }
        router.get("/lock-form") { _, _ in form("/_lock/lock") }
        router.get("/order-form") { _, _ in form("/api/orders") }
        router.get("/assets/logo") { _, _ in "a logo" }
        let page = "<!doctype html><head>\(lock.head)</head><body>\(Self.content)</body>"
        router.get("/") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/html"],
                body: .init(byteBuffer: .init(string: page))
            )
        }
        router.get("/api/orders") { _, _ in Self.content }
        router.post("/api/orders") { _, _ in Self.content }
        router.put("/api/orders/:id") { _, _ in Self.content }
        router.delete("/api/orders/:id") { _, _ in Self.content }
        router.get("/large") { _, _ in
            Response(status: .ok, body: .init(byteBuffer: .init(repeating: 0x58, count: 100_000)))
        }
        router.get("/picture") { _, _ in
            Response(status: .ok, body: .init(byteBuffer: pictures.make()))
        }
        router.get("/parts") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody(contentLength: 2 * Self.content.utf8.count) { writer in
                    var parts = parts.makeAsyncIterator()
                    for _ in 0..<2 where await parts.next() != nil {
                        try await writer.write(ByteBuffer(string: Self.content))
                    }
                    try await writer.finish(nil)
                }
            )
        }
        router.get("/trailers") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody(contentLength: Self.content.utf8.count) { writer in
                    try await writer.write(ByteBuffer(string: Self.content))
                    try await writer.finish([.init("X-Sum")!: "1"])
                }
            )
        }
        router.get("/failing") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody(contentLength: 100) { writer in
                    try await writer.write(ByteBuffer(string: Self.content))
                    throw CancellationError()
                }
            )
        }
        router.get("/longer") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody(contentLength: 100) { writer in
                    try await writer.write(ByteBuffer(repeating: 0x58, count: 1_000_000))
                    try await writer.finish(nil)
                }
            )
        }
        router.get("/slow") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: Self.content))
                    for await _ in parts { try await writer.write(ByteBuffer(string: Self.content)) }
                    try await writer.finish(nil)
                }
            )
        }
        router.get("/endless") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    while true { try await writer.write(ByteBuffer(repeating: 0x58, count: 65_536)) }
                }
            )
        }
        return router
    }

    static let routes: [(HTTPRequest.Method, String)] = [
        (.get, "/"), (.head, "/"), (.get, "/?x=1"), (.get, "/api/orders"), (.post, "/api/orders"),
        (.put, "/api/orders/1"), (.delete, "/api/orders/1"), (.get, "/large"), (.get, "/slow"),
        (.options, "/"),
        (.patch, "/api/orders"), (.trace, "/"), (.get, "/nothing"), (.get, "/../"), (.get, "//"),
        (.get, "/api/orders/"),
        (.get, "/_lock"), (.get, "/_lock/"), (.get, "/_lock/../api/orders"), (.get, "/_lock/security"),
        (.get, "/_lock/setup"), (.get, "/_lock/screen/x"), (.get, "/_lock/input?/"),
        (.get, "/assets/../api/orders"),
        (.get, "/login/../"),
    ]
}

/// A browser, or what pretends to be one.
struct Visitor {
    let client: any TestClientProtocol
    var cookie = ""

    /// Signs in, and keeps the cookie.
    static func signedIn(_ client: any TestClientProtocol, user: String = "ada", cookie: String = "")
        async throws -> Visitor
    {
        var visitor = Visitor(client: client, cookie: cookie)
        let answer = try await visitor.send(.post, "/login?user=\(user)")
        visitor.cookie = answer.headers[.setCookie].map { String($0.prefix { $0 != ";" }) } ?? ""
        return visitor
    }

    static let navigation: HTTPFields = [
        .accept: "text/html,*/*", .init("Sec-Fetch-Mode")!: "navigate",
        .init("Sec-Fetch-Site")!: "same-origin",
        .init("Sec-Fetch-Dest")!: "document", .init("Sec-Fetch-User")!: "?1",
    ]
    /// A navigation whose cause the browser does not report, as with Safari.
    static let unreported: HTTPFields = {
        var fields = navigation
        fields[.init("Sec-Fetch-User")!] = nil
        return fields
    }()
    static let ofScript: HTTPFields = [.init("X-Portcullis")!: "1", .init("Sec-Fetch-Site")!: "same-origin"]

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: HTTPFields = [:],
        body: String? = nil
    ) async throws -> TestResponse {
        var headers = headers
        if !cookie.isEmpty { headers[.cookie] = cookie }
        return try await client.execute(
            uri: path,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        ) { $0 }
    }

    func page(_ path: String = "/") async throws -> TestResponse {
        try await send(.get, path, Self.navigation)
    }

    func pulse(tab: String = "t", isVisible: Bool = true, isActive: Bool = false) async throws
        -> TestResponse
    {
        try await send(
            .post,
            "/_lock/pulse",
            Self.ofScript,
            body: "tab=\(tab)&isVisible=\(isVisible ? 1 : 0)&isActive=\(isActive ? 1 : 0)&since=0"
        )
    }

    /// Types on the lock screen, as the script does.
    @discardableResult
    func type(_ digits: String, on page: String, count: Int = 1, _ headers: HTTPFields = Self.ofScript)
        async throws
        -> TestResponse
    {
        let keys = digits.map { "&digit=\($0)" }.joined()
        return try await send(
            .post,
            "/_lock/input",
            headers,
            body: "page=\(page)&count=\(count)&tab=t\(keys)"
        )
    }

    func lockNow() async throws { _ = try await send(.post, "/_lock/lock", Self.ofScript) }

    /// Waits until a call is answered with this status.
    func waitFor(_ status: HTTPResponse.Status, _ path: String = "/api/orders") async throws {
        try await BoundedWait.until("\(status)", every: .milliseconds(1)) {
            try await send(.get, path).status == status
        }
    }

    /// Waits until no screen covers the content.
    func waitUntilClosed() async throws {
        try await BoundedWait.until("the content", every: .milliseconds(20)) {
            try await pulse().text.contains("\"screen\":\"\"")
        }
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The name of the page.
    var pageName: String {
        guard let range = text.firstRange(of: "data-page=\"") else { return "" }
        return String(text[range.upperBound...].prefix { $0 != "\"" })
    }
}
#endif
