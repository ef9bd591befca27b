#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PortcullisCore
internal import WebScreens

/// The addresses of the lock itself: its files, the stream of events, heartbeats, the posts of pages, and its
/// screens.
struct LockRoutes {
    let lock: WebLock
    let origin: RequestOrigin

    private var shared: SharedConfiguration { lock.shared }

    func answer(_ request: Request, context: some RequestContext) async throws -> Response {
        let name = String(request.uri.path.dropFirst(shared.value.base.count))
        if let asset = WebAsset.all.first(where: { $0.name == name }) { return file(asset, request) }
        guard let session = lock.session(of: request) else { return Answers.signIn(origin, shared) }
        switch (request.method, name) {
        case (.get, "stream"): return await stream(session, request)
        case (.post, "pulse"): return try await pulse(session, request)
        case (.post, "input"): return try await input(session, request)
        // Without a script, a browser posts a form to this address, and then gets the screen from this
        // address. The second request opens no screen. So a screen that has closed meanwhile stays closed.
        case (.get, "input"): return await screen(session, request, next: request.uri.query)
        case (.post, _) where name.hasPrefix("prompt/"):
            return try await answer(String(name.dropFirst("prompt/".count)), session, request)
        case (.post, "lock"): return await lockNow(session, request)
        case (.get, "security"):
            return await screen("security", session, request) { await $0.openSecurity() }
        case (.get, "setup"):
            return await screen("setup", session, request) { await $0.offerSetUp() }
        case (.get, _) where name.hasPrefix("screen/"):
            let own = String(name.dropFirst("screen/".count))
            guard let body = shared.value.screens[own] else { break }
            return await screen(name, session, request, body)
        default: break
        }
        return Answers.problem(.notFound, "There is nothing here.")
    }

    private func file(_ asset: WebAsset, _ request: Request) -> Response {
        guard request.method == .get || request.method == .head else {
            return Answers.problem(.methodNotAllowed, "This can only be read.")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: asset.contentType, .cacheControl: WebAsset.cacheControl,
                .eTag: "\"\(asset.digest)\"",
                .xContentTypeOptions: "nosniff",
            ],
            body: request.method == .head
                ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes))
        )
    }

    /// Reads a post's form; `nil` if the body is not a form of this site.
    private func form(_ request: Request) async throws -> WebForm? {
        guard let body = try? await request.body.collect(upTo: WebForm.maximumSize) else { return nil }
        return try? WebForm(body.readableBytesView)
    }

    /// Answers a heartbeat with the changes since the page's revision. A heartbeat must have a header that
    /// only a script of this site can send.
    private func pulse(_ session: WebSession, _ request: Request) async throws -> Response {
        guard request.headers[.byScript] == "1" else {
            return Answers.problem(.forbidden, "This request came from no page of this site.")
        }
        guard let form = try await form(request) else {
            return Answers.problem(.badRequest, "This is no heartbeat.")
        }
        guard await session.takeQuestion() else { return tooMany }
        await session.heard(form.tab, isVisible: form.isVisible, isActive: form.isActive)
        if let hasPasskeys = form.hasPasskeys { await session.tellPasskeys(hasPasskeys) }
        return Answers.json(await session.message(since: form.since))
    }

    private func input(_ session: WebSession, _ request: Request) async throws -> Response {
        guard let form = try await form(request) else {
            return Answers.problem(.badRequest, "This is no post of a page.")
        }
        await session.heard(form.tab, isVisible: true, isActive: true)
        let taken = await session.take(form)
        if taken == .tooMany { return tooMany }
        if request.headers[.byScript] == "1" {
            guard taken != .replayed else { return Answers.problem(.conflict, "This was posted before.") }
            // The page may belong to a screen that is no longer shown. The message says so to the page.
            return Answers.json(await session.message(since: form.since))
        }
        let next = LocalPath(form.next ?? "/").text
        // While a screen over the content is shown, the browser goes to that screen, and the query is the next
        // path.
        let place = await session.showsSheet ? "\(shared.value.base)input?\(next)" : next
        guard let page = await session.page(next: next, reload: place) else { return Answers.redirect(next) }
        if taken != .taken { return Answers.page(page, .conflict) }
        // A redirect keeps the browser from posting the form again when the page is reloaded.
        return Answers.redirect(place)
    }

    /// Passes the browser's answer to a prompt on to the authenticator. The challenge in the answer is valid
    /// only once.
    private func answer(_ id: String, _ session: WebSession, _ request: Request) async throws -> Response {
        guard request.headers[.byScript] == "1" else {
            return Answers.problem(.forbidden, "This request came from no page of this site.")
        }
        guard await session.takeQuestion() else { return tooMany }
        guard let source = session.prompts?.source,
            let body = try? await request.body.collect(upTo: Self.largestAnswer)
        else { return Answers.problem(.badRequest, "This is no answer to a prompt.") }
        let json = SecretBytes(copying: body.readableBytesView)
        guard source.answer(json, id) else { return Answers.problem(.notFound, "This prompt is over.") }
        return Answers.json(await session.message(since: 0))
    }

    private static let largestAnswer = 64 * 1024

    private var tooMany: Response {
        var response = Answers.problem(.tooManyRequests, "Too many requests.")
        response.headers[.retryAfter] = "1"
        return response
    }

    /// Locks the session, if the request comes from a page of this site.
    private func lockNow(_ session: WebSession, _ request: Request) async -> Response {
        guard origin.isOwn || request.headers[.byScript] == "1" else {
            return Answers.problem(.forbidden, "This request came from no page of this site.")
        }
        return await session.lockByPost() ? Answers.redirect("/") : tooMany
    }

    /// Opens a screen over the content by its name, and shows it.
    private func screen(
        _ name: String,
        _ session: WebSession,
        _ request: Request,
        _ body: @escaping WebLockConfiguration.Screen
    ) async -> Response {
        guard await session.takeQuestion() else { return tooMany }
        let next = request.uri.queryParameters["next"].map { String($0) }
        return await screen(session, request, next: next) { await session.open(name, body) }
    }

    /// Shows the screen over the content. If no screen is open, the response is a redirect to the next path.
    private func screen(
        _ session: WebSession,
        _ request: Request,
        next: String?,
        open: () async -> Void = {}
    ) async -> Response {
        await session.arrived(origin.cause)
        guard session.gate.isOpen else { return await Answers.locked(session, request, origin) }
        await open()
        let next = LocalPath(next ?? "/").text
        guard let page = await session.page(next: next) else { return Answers.redirect(next) }
        return Answers.page(page, session.gate.isOpen ? .ok : Answers.lockedStatus)
    }

    // MARK: The stream

    private func stream(_ session: WebSession, _ request: Request) async -> Response {
        guard await session.takeQuestion() else { return tooMany }
        let events = EventStream(session, number: await session.openStream())
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
                .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                try await events.write(to: &writer, until: request.body)
                try await TimeLimitedWrite.run(on: &writer, clock: session.clock) { try await $0.finish(nil) }
            }
        )
    }
}

extension HTTPField.Name {
    /// A header that makes proxies forward each event at once.
    fileprivate static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
#endif
