import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing
import WebScreens

#if HummingbirdLock
import HTTPTypes
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import NIOCore

#if Passkeys
import Passkeys
#endif

func ledger(
    _ backends: Backends,
    signedIn: @escaping @Sendable (Request) async throws -> (user: UserID, session: any SignedInSession)
) -> Router<BasicRequestContext> {
    let lock = WebLock(WebLockConfiguration(signIn: "/login", open: ["/assets/"]), clock: backends.clock)
    let router = Router()
    router.add(middleware: lock.gate())

    router.post("/login") { request, _ in
        let (user, session) = try await signedIn(request)
        let service = try PasscodeService(
            user: user,
            backends: backends,
            session: session,
            configuration: PasscodeConfiguration(appName: "Ledger", launch: .never)
        )
        let (_, cookie) = try await lock.signIn(service, replacing: request)
        let isNew = try await service.offersSetUp()
        var response = Response.redirect(to: isNew ? "/_lock/setup" : "/", type: .normal)
        response.setCookie(cookie)
        return response
    }

    router.get("/") { _, _ in
        let page = "<!doctype html><head>\(lock.head)</head><body>The books.</body>"
        return Response(
            status: .ok,
            headers: [.contentType: "text/html"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page))
        )
    }
    return router
}

#if Passkeys
func withPasskeys(_ backends: Backends, _ prompts: WebPrompts) throws -> Backends {
    let site = try RelyingParty(id: "ledger.example", name: "Ledger", origins: ["https://ledger.example"])
    var backends = backends
    backends.biometrics = prompts.passkeys(for: site, store: backends.secrets, clock: backends.clock)
    return backends
}
#endif
#endif

struct Visit {
    var screen: WebScreen
    let page = WebPage(base: "/_lock/", id: "a-name-of-its-own")

    /// What a browser gets that asks for the page; with the fields of `WebPage.headers`.
    var html: String { page.html(screen) }

    /// What a page gets that has this revision.
    func event(since revision: Int) -> [UInt8] {
        WebMessage(isLocked: true, screen: page.screen, patch: screen.patch(since: revision)).event
    }

    /// What the person did.
    func inputs(_ body: [UInt8]) throws -> [ScreenInput] { try WebForm(body).inputs }
}

@Suite("Web guide: its code works", .timeLimit(.minutes(1)))
struct WebGuideTests {
    @Test("W-1: a page, an event and a post")
    func visit() throws {
        let visit = Visit(screen: WebScreen(LockScreen(format: .standard).content))
        #expect(visit.html.contains("Enter Passcode"))
        #expect(visit.event(since: 0).starts(with: Array("data: {".utf8)))
        #expect(try visit.inputs(Array("digit=1&digit=2".utf8)).count == 2)
    }

    #if HummingbirdLock && Passkeys
    @Test("W-3: the backends of a session with passkeys, as the guide makes them")
    func passkeys() async throws {
        let backends = Backends(secrets: InMemorySecretStore(), clock: ManualClock())
        let kind = await (try withPasskeys(backends, WebPrompts())).biometrics.availability(for: .device).kind
        #expect(kind == .passkey)
    }
    #endif

    #if HummingbirdLock
    @Test("W-2: an app behind the lock, as the guide puts it there")
    func app() async throws {
        let backends = Backends(
            secrets: InMemorySecretStore(),
            sealer: FastPasscodeSealer(),
            clock: ManualClock()
        )
        let user = try #require(UserID("ada"))
        let router = ledger(backends) { _ in (user, InMemorySession(user)) }
        try await Application(router: router).test(.router) { client in
            let first = try await client.execute(uri: "/login", method: .post) { $0 }
            #expect(first.headers[.location] == "/_lock/setup")
            let cookie = String((first.headers[.setCookie] ?? "").prefix { $0 != ";" })
            let page = try await client.execute(uri: "/", method: .get, headers: [.cookie: cookie]) { $0 }
            #expect(String(buffer: page.body).contains("The books."))
        }
    }
    #endif
}
