#if HummingbirdLock
import Hummingbird
import HummingbirdTesting
import Logging
import PortcullisCore
import PortcullisTesting
import WebBrowser

extension WebBench {
    /// Serves the app, and signs in with a browser.
    ///
    /// - Parameter first: what the page after signing in says.
    func visit(
        in kind: BrowserKind = .chromium,
        hasPasscode: Bool = true,
        hasScript: Bool = true,
        first: String = WebBench.content,
        _ body: @Sendable @escaping (Browser, String) async throws -> Void
    ) async throws {
        if hasPasscode { try await setPasscode() }
        var options = Browser.Options()
        options.hasScript = hasScript
        try await Browser.open(in: kind, options) { browser in
            try await serve { address in
                try await browser.signIn(address, first: first)
                try await body(browser, address)
            }
        }
    }

    /// Serves the app while `body` runs, which gets its address.
    func serve(_ body: @Sendable @escaping (String) async throws -> Void) async throws {
        var logger = Logger(label: "web-bench")
        logger.logLevel = .critical
        let app = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: logger
        )
        try await app.test(.live) { client in try await body("http://localhost:\(client.port ?? 0)") }
    }
}

extension Browser {
    /// Signs in, and waits until the page after it says a text.
    func signIn(_ address: String, first: String = WebBench.content) async throws {
        try await go("\(address)/sign-in")
        try await clickWhenThere("button")
        try await waitFor(first)
    }

    /// Waits until the page says a text.
    func waitFor(_ text: String) async throws {
        try await waitUntil("“\(text)”") { try await self.text.contains(text) }
    }

    func waitUntil(_ what: String, _ condition: () async throws -> Bool) async throws {
        do {
            try await BoundedWait.until(what, limit: .seconds(30), every: .milliseconds(50)) {
                // While a page is loaded there is none to ask.
                (try? await condition()) == true
            }
        } catch let error as BoundedWait.TimedOut {
            let text = (try? await text) ?? ""
            throw Browser.Failure(description: "\(error.description); the page says: \(text)")
        }
    }

    /// Clicks the first element that a CSS selector finds, once there is one that can be clicked.
    func clickWhenThere(_ selector: String) async throws {
        try await waitUntil(selector) {
            try await click(selector)
            return true
        }
    }

    /// Presses digits once the pad takes them.
    func typeOnPad(_ digits: String) async throws {
        try await waitUntil("the pad takes digits") {
            try await run(
                "const s = document.getElementById('screen'); return s && s.getAttribute('aria-busy') === 'false' ? 'yes' : ''"
            ) == "yes"
        }
        try await press(digits)
    }

    /// Locks the session as another page does. The page may be left before the answer comes, which ends the request.
    func lockNow() async throws {
        let isLocked = try await run(
            "return fetch('/_lock/lock', { method: 'POST', headers: { 'X-Portcullis': '1' }, redirect: 'manual' }).then(() => 'locked', () => document.body ? 'refused' : 'locked')"
        )
        guard isLocked == "locked" else { throw Browser.Failure(description: "not locked: \(isLocked)") }
    }
}
#endif
