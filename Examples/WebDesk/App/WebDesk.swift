package import Foundation
package import HTTPPasscodeAccount
internal import HTTPTypes
package import Hummingbird
package import HummingbirdLock
internal import NIOCore
internal import Passkeys
internal import PasscodeLock
package import PortcullisCore
internal import RepairShop

/// A repair shop's desk in a browser, behind a passcode that an account keeps.
package struct WebDesk: Sendable {
    /// The name that the lock and the browser show.
    private static let name = "RepairDesk"

    /// The lock over the desk.
    package let lock: WebLock
    private let backends: Backends
    private let server: URL
    private let transport: any HTTPTransport
    private let client: SignInClient
    private let book: RepairBook
    private let goal: DeskGoal
    private let idleTimeout: Duration?
    private let hint: @Sendable () async -> String?

    /// Makes a desk.
    ///
    /// - Parameters:
    ///   - backends: the desk uses the store, sealer and clock. The goal lock also uses the shield, scheduler
    ///     and notifier.
    ///   - server: the account server.
    ///   - transport: sends the requests. The caller still owns it.
    ///   - isSecure: whether the desk is served over TLS.
    ///   - idleTimeout: the time without activity after which the desk locks; `nil` for never.
    ///   - hint: a line for the first pages, such as the last mail of a demonstration.
    package init(
        backends: Backends,
        server: URL,
        transport: any HTTPTransport,
        isSecure: Bool = true,
        idleTimeout: Duration? = nil,
        hint: @escaping @Sendable () async -> String? = { nil }
    ) throws {
        var configuration = WebLockConfiguration(open: ["/login/", "/assets/"])
        configuration.isSecure = isSecure
        configuration.strings.biometricError = { PasskeyTexts().message(for: $0) }
        book = try RepairBook(store: backends.secrets)
        let goal = try DeskGoal(backends, book)
        let client = SignInClient(server: server, transport: transport)
        configuration.screens[DeskGoal.screen] = { session in await goal.open(on: session, asking: client) }
        self.goal = goal
        lock = WebLock(configuration, clock: backends.clock)
        self.backends = backends
        self.server = server
        self.transport = transport
        self.idleTimeout = idleTimeout
        self.hint = hint
        self.client = client
    }

    /// Brings the goal lock up to date, has it follow the day, and counts repairs that were handed out and
    /// not counted.
    package func launch() async throws { try await goal.launch() }

    private var pages: DeskPages { DeskPages(head: lock.head) }

    /// The routes, behind the lock.
    package var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: lock.gate())
        router.get("/assets/desk.css") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "max-age=3600"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.desk_css))
            )
        }
        addSignIn(to: router)
        router.get("/") { request, _ in try await show(request) { pages.repairs($0, $1) } }
        router.get("/customers") { request, _ in try await show(request) { pages.customers($0, $1) } }
        router.get("/settings") { request, _ in try await show(request) { pages.settings($1) } }
        router.post("/repairs/:number/advance") { request, context in
            guard let number = context.parameters.get("number", as: Int.self),
                let visit = lock.session(of: request)?.visit
            else { throw HTTPError(.forbidden) }
            guard await visit.lasts(asking: client, at: backends.clock.now) else {
                return await signOut(request)
            }
            guard await visit.isOfShop else { throw HTTPError(.forbidden) }
            let advanced = try await book.advance(number, at: backends.clock.now.wall).advanced
            if advanced?.stage == .handedOut { try await goal.count() }
            return Response.redirect(to: "/", type: .normal)
        }
        router.post("/logout") { request, _ in
            await lock.session(of: request)?.visit?.signOut()
            return await signOut(request)
        }
        return router
    }

    private func signOut(_ request: Request) async -> Response {
        var response = Response.redirect(to: "/login", type: .normal)
        response.setCookie(await lock.signOut(request))
        return response
    }

    /// Shows a page of the staff. Customers see their own repairs, and a person whose account was put aside
    /// sees why (P-40).
    private func show(
        _ request: Request,
        _ page: ([Repair], String) -> Response
    ) async throws -> Response {
        guard let session = lock.session(of: request), let visit = session.visit else {
            throw HTTPError(.unauthorized)
        }
        guard await visit.lasts(asking: client, at: backends.clock.now) else { return await signOut(request) }
        let person = session.user.rawValue
        if let reason = await visit.quarantine { return pages.quarantine(reason, person) }
        let repairs = try await book.repairs()
        return visit.role == .staff ? page(repairs, person) : pages.portal(repairs, person)
    }

    // MARK: Signing in

    private struct Wish: Decodable {
        var email: String
        var code: String?
        var request: AccountCodeRequest?
    }

    private func addSignIn(to router: Router<BasicRequestContext>) {
        router.get("/login") { _, _ in pages.roles(await hint()) }
        router.get("/login/:role") { _, context in
            guard let role = context.parameters.get("role").flatMap({ DeskRole(word: $0) }) else {
                throw HTTPError(.notFound)
            }
            return pages.address(role)
        }
        router.post("/login/:role") { request, context in
            guard let role = context.parameters.get("role").flatMap({ DeskRole(word: $0) }) else {
                throw HTTPError(.notFound)
            }
            let wish = try await URLEncodedFormDecoder().decode(Wish.self, from: request, context: context)
            do throws(SignInError) {
                let asked = try await client.requestCode(wish.email, as: role)
                return pages.code(role, wish.email, asked.rawValue, await mail())
            } catch {
                return pages.address(role, error.text)
            }
        }
        router.post("/login/:role/code") { request, context in
            guard let role = context.parameters.get("role").flatMap({ DeskRole(word: $0) }) else {
                throw HTTPError(.notFound)
            }
            let wish = try await URLEncodedFormDecoder().decode(Wish.self, from: request, context: context)
            guard let asked = wish.request else { throw HTTPError(.badRequest) }
            do throws(SignInError) {
                let opened = try await client.signIn(wish.email, as: role, code: wish.code ?? "", of: asked)
                return try await enter(opened, request)
            } catch {
                return pages.code(role, wish.email, asked.rawValue, error.text)
            }
        }
    }

    /// Waits for the mail of a demonstration, which comes shortly after its request.
    private func mail() async -> String? {
        try? await Task.sleep(for: .milliseconds(700))
        return await hint()
    }

    /// The site that passkeys are bound to, by the request's host; `nil` if the host cannot have passkeys,
    /// such as an IP address.
    private func site(of request: Request) -> RelyingParty? {
        guard let host = request.head.authority, let name = host.split(separator: ":").first else {
            return nil
        }
        let scheme = lock.configuration.isSecure ? "https" : "http"
        return try? RelyingParty(id: String(name), name: Self.name, origins: ["\(scheme)://\(host)"])
    }

    /// Begins a session, and offers a passcode once after the first login (P-40, P-41).
    private func enter(_ opened: SignInClient.Opened, _ request: Request) async throws(SignInError)
        -> Response
    {
        let visit = DeskVisit(opened, at: backends.clock.now) {
            [server, transport, clock = backends.clock] token in
            // Without a connection the session still ends here. At the server the token stays valid until it
            // expires.
            try? await HTTPPasscodeAccount(
                server: server,
                transport: transport,
                clock: clock,
                token: { token }
            ).logOut()
        }
        let user = opened.session.user
        do {
            let configuration = PasscodeConfiguration(
                appName: Self.name,
                timeout: .accountPreset,
                launch: .never,
                idleTimeout: idleTimeout
            )
            let (site, prompts) = (site(of: request), WebPrompts())
            var backends = backends
            // A session removes the person's passkeys with the passcode, also at a host that cannot have
            // passkeys. There the session gets no prompts, so its authenticator is never available.
            backends.biometrics = prompts.passkeys(
                for: try site
                    ?? RelyingParty(id: "localhost", name: Self.name, origins: ["http://localhost"]),
                store: backends.secrets,
                clock: backends.clock
            )
            let service = try PasscodeService(
                user: user,
                backends: backends,
                session: visit,
                configuration: configuration,
                account: try HTTPPasscodeAccount(
                    server: server,
                    transport: transport,
                    clock: backends.clock,
                    token: { await visit.proof }
                )
            )
            // The session of this browser is replaced, also at the account server.
            await lock.session(of: request)?.visit?.signOut()
            let (session, cookie) = try await lock.signIn(
                service,
                replacing: request,
                keeping: visit,
                prompts: site == nil ? nil : prompts
            )
            var path = "/"
            if opened.session.role == .staff, opened.session.quarantine == nil {
                // If the account cannot be reached, a passcode can be set and is sent later.
                let report = try? await session.synchronise()
                // If the passcode's state cannot be read, no passcode is offered here.
                let offers = try? await service.offersSetUp(isEnabled: report?.isEnabled ?? true)
                if offers == true { path = "/_lock/setup" }
            }
            var response = Response.redirect(to: path, type: .normal)
            response.setCookie(cookie)
            return response
        } catch {
            // Without a session here, none stays open at the account server.
            await visit.signOut()
            throw .refused("You could not be signed in here. Try again later.")
        }
    }
}
