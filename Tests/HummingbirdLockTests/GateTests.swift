#if HummingbirdLock
import HTTPTypes
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import NIOCore
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("An app behind the lock (W-2)", .timeLimit(.minutes(5)))
struct GateTests {
    private let bench = WebBench()
    private let locked = HTTPResponse.Status(code: 423)

    private func run(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        try await Application(router: bench.router).test(.router) { try await body($0) }
    }

    @Test("W-2: a page without a session leads to the sign-in, a call gets 401, and open paths stay open")
    func signedOut() async throws {
        try await run { client in
            let visitor = Visitor(client: client)
            let page = try await visitor.page()
            #expect(page.status == .seeOther && page.headers[.location] == "/login")
            #expect(try await visitor.send(.get, "/api/orders").status == .unauthorized)
            #expect(try await visitor.page("/login").text == "Sign in")
            #expect(try await visitor.send(.get, "/assets/logo").text == "a logo")
        }
    }

    @Test("W-2: a session's cookie is found among others, and no other one is taken for it")
    func cookies() async throws {
        try await run { client in
            let cookie = try await Visitor.signedIn(client).cookie
            let (name, token) = (cookie.prefix { $0 != "=" }, cookie.drop { $0 != "=" }.dropFirst())
            func status(_ cookies: String...) async throws -> UInt {
                var headers = HTTPFields()
                headers[values: .cookie] = cookies
                return UInt(try await Visitor(client: client).send(.get, "/api/orders", headers).status.code)
            }
            for found in [
                "a=b; \(cookie)", "\(cookie);c=d", "a=\(name);\t\(cookie); \(name)=second", "=;;a;\(cookie)",
            ] {
                #expect(try await status(found) == 200, "\(found)")
            }
            #expect(try await status("a=b", "c=d; \(cookie)") == 200)
            for other in [
                "x\(cookie)", "\(name)x=\(token)", "\(name)", "\(name)=", "a=\(cookie)",
                "\(name)=first; \(cookie)",
                "\(name) =\(token)", "\(cookie)=", "\(cookie.uppercased())", "",
            ] {
                #expect(try await status(other) == 401, "\(other)")
            }
        }
    }

    @Test("W-2: only a lock screen that answers no GET names another address to load after the unlocking")
    func reload() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            for (method, isNamed) in [(HTTPRequest.Method.get, false), (.post, true)] {
                let page = try await visitor.send(method, "/api/orders", Visitor.navigation)
                #expect(page.status == locked)
                #expect(page.text.contains("data-reload=\"/\"") == isNamed)
                #expect(page.text.contains("data-reload") == isNamed)
            }
        }
    }

    @Test("W-2: the fields behind a short body are sent with it")
    func trailers() async throws {
        try await run { client in
            let answer = try await Visitor.signedIn(client).send(.get, "/trailers")
            #expect(answer.text == WebBench.content)
            #expect(answer.trailerHeaders?[.init("X-Sum")!] == "1")
        }
    }

    @Test("W-2: unlocked, content is served, kept by no cache and framed by no site")
    func open() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            let page = try await visitor.page()
            #expect(page.status == .ok && page.text.contains(WebBench.content))
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(page.headers[.contentSecurityPolicy] == "frame-ancestors 'none'")
            #expect(page.headers[.init("X-Frame-Options")!] == "DENY")
        }
    }

    @Test("W-2: locked, no route, method, range, prefetch or spelling of a path gives a byte of content")
    func crawler() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            let variants: [HTTPFields] = [
                [:], Visitor.navigation, Visitor.ofScript, [.range: "bytes=0-"], [.accept: "text/html"],
                [.init("Sec-Purpose")!: "prefetch;prerender", .accept: "text/html"], [.ifNoneMatch: "*"],
                [.init("X-HTTP-Method-Override")!: "GET"], [.connection: "upgrade", .upgrade: "websocket"],
                [.init("X-Original-URL")!: "/login"],
                [.init("Sec-Fetch-Dest")!: "iframe", .accept: "text/html"],
            ]
            for (method, path) in WebBench.routes {
                for headers in variants {
                    let answer = try await visitor.send(method, path, headers)
                    #expect(!answer.text.contains(WebBench.content), "\(method) \(path)")
                    #expect(!answer.text.contains("XXXX"), "\(method) \(path)")
                    #expect(answer.headers[.cacheControl] == "no-store", "\(method) \(path)")
                    #expect(
                        [423, 404, 303].contains(answer.status.code),
                        "\(method) \(path): \(answer.status)"
                    )
                }
            }
            let page = try await visitor.page()
            #expect(page.status == locked && page.text.contains("Enter Passcode"))
            let call = try await visitor.send(.get, "/api/orders")
            #expect(call.status == locked && call.headers[.contentType] == "application/problem+json")
            #expect(try await visitor.send(.head, "/", Visitor.navigation).body.readableBytes == 0)
        }
    }

    @Test("P-32, W-2: the right passcode on the lock screen uncovers, by script")
    func unlock() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            let page = try await visitor.page().pageName
            let wrong = try await visitor.type("111111", on: page)
            #expect(wrong.status == .ok && wrong.text.contains("\"isLocked\":true"))
            try await bench.waitForFailures(1)
            try await visitor.typeWhenReady(WebBench.right, on: page, count: 2)
            try await visitor.waitFor(.ok)
            #expect(try await visitor.pulse().text.contains("\"isLocked\":false"))
            #expect(try await visitor.page().text.contains(WebBench.content))
        }
    }

    @Test(
        "H-2, W-2: the recovery passphrase sets a new passcode and uncovers; a new lock drops what was entered"
    )
    func recovery() async throws {
        var bench = WebBench()
        bench.sealer = FastPasscodeSealer(
            tryLimit: 2,
            recovery: SecretBytes(copying: "gravel umbrella".utf8)
        )
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { [bench] client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            var posts = try await PagePosts(of: visitor)
            try await posts.post("activate=forgot", until: "Your recovery passphrase sets a new passcode.")
            try await posts.post("activate=recover", until: "Enter recovery passphrase")
            try await posts.post("text=gravel+umbrella&submit=1", until: "Create a passcode")
            try await visitor.lockNow()
            #expect(try await visitor.page().text.contains("Enter recovery passphrase"))
            let new = PagePosts.keys("417263")
            try await posts.post("text=gravel+umbrella&submit=1&\(new)&\(new)", until: WebBench.content)
            #expect(
                try await bench.service().verify(SecretBytes(copying: "417263".utf8)).isRight
            )
        }
    }

    @Test("P-35, W-2: a code that was typed on the reset page is dropped by a new lock and by an absence")
    func reset() async throws {
        var bench = WebBench()
        let server = InMemoryAccountServer(clock: bench.clock)
        bench.account = InMemoryPasscodeAccount(server)
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { [bench] client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            var posts = try await PagePosts(of: visitor)
            try await posts.post("activate=forgot", until: "We can send a reset code to your email")
            try await posts.post("activate=reset", until: "Enter reset code from email")
            let mailed = try #require(server.mailedCode)
            let code = mailed.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            try await posts.post(PagePosts.keys(code), until: "Enter new passcode")
            try await visitor.lockNow()
            #expect(try await visitor.page().text.contains("Enter reset code from email"))
            try await posts.post(PagePosts.keys(code), until: "Enter new passcode")
            // No tab reports for a while.
            await bench.clock.advance(by: .seconds(60))
            #expect(try await visitor.page().text.contains("Enter reset code from email"))
            let (typed, new) = (PagePosts.keys(code), PagePosts.keys("417263"))
            try await posts.post("\(typed)&\(new)&\(new)", until: WebBench.content)
            #expect(server.holds(SecretBytes(copying: "417263".utf8)))
        }
    }

    @Test("W-1, W-2: and by plain forms, a key each")
    func scriptless() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            for digit in WebBench.right {
                let page = try await visitor.page("/?tab=2")
                #expect(page.status == locked)
                let answer = try await visitor.send(
                    .post,
                    "/_lock/input",
                    [.init("Sec-Fetch-Site")!: "same-origin"],
                    body: "page=\(page.pageName)&count=1&next=%2F%3Ftab%3D2&text=&digit=\(digit)"
                )
                #expect(answer.status == .seeOther && answer.headers[.location] == "/?tab=2")
            }
            try await visitor.waitFor(.ok)
        }
    }

    @Test("W-2: a post that comes again is refused, and is no second try")
    func replay() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            let page = try await visitor.page().pageName
            #expect(try await visitor.type("111111", on: page).status == .ok)
            for _ in 0..<20 { #expect(try await visitor.type("111111", on: page).status == .conflict) }
            #expect(try await visitor.type("111111", on: "guessed").status == .conflict)
            let form: HTTPFields = [.init("Sec-Fetch-Site")!: "same-origin"]
            #expect(try await visitor.type("111111", on: page, form).status == .conflict)
            try await bench.waitForFailures(1)
        }
    }

    @Test("W-2: an act that another site sends is refused, on the lock's addresses and the host's")
    func crossSite() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            try await visitor.lockNow()
            let page = try await visitor.page().pageName
            let foreign: [HTTPFields] = [
                [.origin: "https://evil.example"], [.origin: "null"],
                [.init("Sec-Fetch-Site")!: "cross-site"],
                [.init("Sec-Fetch-Site")!: "same-site"], [.origin: "http://localhost.evil.example"],
                [.origin: "null", .init("Sec-Fetch-Site")!: "cross-site"],
                [.origin: "https://evil.example", .init("Sec-Fetch-Site")!: "same-origin"],
                [.origin: "https://evil.example", .init("X-Portcullis")!: "1"],
            ]
            for headers in foreign {
                #expect(try await visitor.type("1", on: page, headers).status == .forbidden)
                #expect(try await visitor.send(.post, "/_lock/lock", headers).status == .forbidden)
                #expect(
                    try await visitor.send(.post, "/_lock/pulse", headers, body: "tab=a").status == .forbidden
                )
                #expect(try await visitor.send(.post, "/api/orders", headers).status == .forbidden)
                #expect(try await visitor.send(.post, "/login", headers).status == .forbidden)
            }
            #expect(try await visitor.send(.post, "/_lock/pulse", body: "tab=a").status == .forbidden)
            #expect(try await visitor.type("1", on: page, [.origin: "http://localhost"]).status != .forbidden)
            // So posts a page of this site whose policy is to tell no referrer, as the lock screen is.
            let untold: HTTPFields = [.origin: "null", .init("Sec-Fetch-Site")!: "same-origin"]
            #expect(try await visitor.type("1", on: page, count: 2, untold).status != .forbidden)
        }
    }

    @Test("W-2: after signing in, out, or in again an older cookie opens nothing")
    func oldCookies() async throws {
        try await run { client in
            let first = try await Visitor.signedIn(client)
            #expect(first.cookie.hasPrefix("__Host-portcullis="))
            let second = try await Visitor.signedIn(client, cookie: first.cookie)
            #expect(first.cookie != second.cookie)
            #expect(try await first.send(.get, "/api/orders").status == .unauthorized)
            #expect(try await second.send(.get, "/api/orders").status == .ok)
            _ = try await second.send(.post, "/logout")
            #expect(try await second.send(.get, "/api/orders").status == .unauthorized)
            // A cookie that an attacker made up is none after the sign-in either.
            let planted = Visitor(
                client: client,
                cookie: "__Host-portcullis=" + String(repeating: "0", count: 64)
            )
            let third = try await Visitor.signedIn(client, cookie: planted.cookie)
            #expect(third.cookie != planted.cookie)
            #expect(try await planted.send(.get, "/api/orders").status == .unauthorized)
        }
    }

    @Test("W-2: the cookie is for this host alone, and no script reads it")
    func cookie() async throws {
        try await run { client in
            let answer = try await Visitor(client: client).send(.post, "/login")
            let cookie = try #require(answer.headers[.setCookie])
            for part in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
                #expect(cookie.contains(part), "\(cookie)")
            }
            #expect(!cookie.contains("Domain"))
        }
    }

    @Test("W-2: where a form leads on to is a path of this site")
    func openRedirect() async throws {
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            for next in [
                "https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example", "%2F%0D%0Ax",
                "evil",
            ] {
                let answer = try await visitor.send(
                    .post,
                    "/_lock/input",
                    [.init("Sec-Fetch-Site")!: "same-origin"],
                    body: "page=x&count=1&next=\(next)"
                )
                #expect(answer.headers[.location] == "/", "\(next)")
            }
            for next in ["https://evil.example", "//evil.example", "evil", ""] {
                let answer = try await visitor.page("/_lock/input?\(next)")
                #expect(answer.headers[.location] == "/", "\(next)")
            }
        }
    }

    @Test("W-2: a flood from one session is bounded")
    func flood() async throws {
        try await bench.setPasscode()
        try await run { client in
            let visitor = try await Visitor.signedIn(client)
            var refused = 0
            for _ in 0..<300 where try await visitor.pulse().status == .tooManyRequests { refused += 1 }
            #expect(refused >= 170)
            // Keys that came while there were too many requests are taken when they are sent again.
            try await visitor.lockNow()
            let page = try await visitor.page().pageName
            #expect(try await visitor.type("834", on: page).status == .tooManyRequests)
            await bench.clock.advance(by: .seconds(1))
            #expect(try await visitor.type("834", on: page).status == .ok)
            #expect(try await visitor.type("834", on: page).status == .conflict)
            #expect(try await visitor.type("912", on: page, count: 2).status == .ok)
            try await visitor.waitFor(.ok)
            let large = String(repeating: "a", count: 100_000)
            await bench.clock.advance(by: .seconds(1))
            #expect(
                try await visitor.send(.post, "/_lock/pulse", Visitor.ofScript, body: large).status
                    == .badRequest
            )
        }
    }

    @Test("W-2: a flood of screens from one session is bounded, and so are its calls to the account")
    func floodOfScreens() async throws {
        var bench = WebBench { $0.maximumPostsPerSecond = 5 }
        let account = InMemoryPasscodeAccount(InMemoryAccountServer(clock: bench.clock))
        bench.account = account
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            var refused = 0
            for _ in 0..<100 {
                for screen in ["security", "setup"] {
                    let status = try await visitor.page("/_lock/\(screen)").status
                    if status == .tooManyRequests { refused += 1 }
                }
            }
            #expect(refused == 180)
            #expect(account.calls.count < 100)
        }
    }

    @Test("W-2: a flood of posts that lock reads the store within bounds, and locks where a passcode is set")
    func floodOfLocks() async throws {
        var bench = WebBench { $0.maximumPostsPerSecond = 5 }
        let store = RecordingSecretStore(InMemorySecretStore(bench.storage))
        bench.store = store
        try await bench.setPasscode("bob")
        try await Application(router: bench.router).test(.router) { client in
            let open = try await Visitor.signedIn(client)
            store.forgetCalls()
            var refused = 0
            for _ in 0..<100 {
                let status = try await open.send(.post, "/_lock/lock", Visitor.ofScript).status
                if status == .tooManyRequests { refused += 1 }
            }
            #expect(refused == 80)
            #expect(store.count(of: .read) < 100)
            let visitor = try await Visitor.signedIn(client, user: "bob")
            for _ in 0..<20 { _ = try await visitor.pulse() }
            #expect(try await visitor.pulse().status == .tooManyRequests)
            #expect(try await visitor.send(.post, "/_lock/lock", Visitor.ofScript).status == .seeOther)
            #expect(try await visitor.send(.get, "/api/orders").status == locked)
        }
    }
}

extension WebBench {
    /// Waits until so many wrong tries were counted.
    func waitForFailures(_ count: Int) async throws {
        let service = try service()
        try await BoundedWait.until("\(count) failures", every: .milliseconds(1)) {
            try await service.status().failures == count
        }
    }
}

extension Visitor {
    /// Types until the post is taken by a screen that listens.
    func typeWhenReady(_ digits: String, on page: String, count: Int) async throws {
        try await BoundedWait.until("a screen that listens", every: .milliseconds(1)) {
            try await pulse().text.contains("\"isBusy\":false")
        }
        try await type(digits, on: page, count: count)
    }
}
#endif
