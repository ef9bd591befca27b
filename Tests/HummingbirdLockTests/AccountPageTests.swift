#if HummingbirdLock
import HummingbirdLock
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing
import WebBrowser

/// The scenarios of SPEC 1.7 with an account whose screens a person sees.
enum AccountPageScenario: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case firstLogin =
        "P-36, P-40: first login shows set-up, not content; set and confirm; a later login shows content"
    case later = "P-36, P-41: set up later, and not asked again at the next login"
    case away = "P-21: lock after 16 min with the preset of 15 min, none after 5"
    case disabled = "P-5, P-37: no lock with a disabled passcode, and the settings say so"
    case forgotReset = "P-33, P-35: forgot, reset mail, wrong code, code, new passcode, unlocked"
    case forgotLogout = "P-33: forgot, logout, login; the account keeps the passcode"
    case change = "P-34: a wrong current passcode stays; current, new, mismatch, an error while saving, saved"
    case setFails = "P-34: an error while saving the first passcode: shown, entry empty, step kept"

    var testDescription: String { rawValue }

    private static let screen = "Enter Passcode"
    private static let new = "270954"

    func run() async throws {
        var bench = WebBench { $0.isSecure = false }
        let server = InMemoryAccountServer(clock: bench.clock)
        let line = InMemoryPasscodeAccount(server)
        bench.account = line
        let isNew = [.firstLogin, .later, .setFails].contains(self)
        let (ready, first) = (bench, isNew ? "Create a passcode" : WebBench.content)
        try await ready.visit(hasPasscode: !isNew, first: first) { browser, address in
            switch self {
            case .firstLogin: try await firstLogin(browser, address, ready, server)
            case .later: try await later(browser, address, ready)
            case .away: try await away(browser, address, ready)
            case .disabled: try await disabled(browser, address, ready, server)
            case .forgotReset: try await forgotReset(browser, server)
            case .forgotLogout: try await forgotLogout(browser, address, ready, server)
            case .change: try await change(browser, address, ready, line)
            case .setFails: try await setFails(browser, ready, line)
            }
        }
    }

    private func firstLogin(
        _ browser: Browser,
        _ address: String,
        _ bench: WebBench,
        _ server: InMemoryAccountServer
    ) async throws {
        #expect(try await !browser.source.contains(WebBench.content))
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor("Confirm passcode")
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor(WebBench.content)
        #expect(server.holds(SecretBytes(copying: WebBench.right.utf8)))
        try await signIn(browser, address)
        try await browser.waitFor(WebBench.content)
    }

    private func later(_ browser: Browser, _ address: String, _ bench: WebBench) async throws {
        try await browser.clickWhenThere("#control-later")
        try await browser.waitFor(WebBench.content)
        #expect(try await !bench.service().status().isSet)
        try await signIn(browser, address)
        try await browser.waitFor(WebBench.content)
    }

    private func away(_ browser: Browser, _ address: String, _ bench: WebBench) async throws {
        for (minutes, isLocked) in [(5, false), (16, true)] {
            try await browser.leave(for: .seconds(minutes * 60), bench)
            try await browser.waitFor(isLocked ? Self.screen : WebBench.content)
        }
        #expect(try await !browser.source.contains(WebBench.content))
    }

    private func disabled(
        _ browser: Browser,
        _ address: String,
        _ bench: WebBench,
        _ server: InMemoryAccountServer
    ) async throws {
        server.setEnabled(false)
        try await signIn(browser, address)
        try await browser.waitFor(WebBench.content)
        try await browser.leave(for: .seconds(3600), bench)
        try await browser.go("\(address)/")
        try await browser.waitFor(WebBench.content)
        try await browser.go("\(address)/_lock/security")
        try await browser.waitFor("Disabled by your administrator")
    }

    private func forgotReset(_ browser: Browser, _ server: InMemoryAccountServer) async throws {
        try await browser.lockNow()
        try await browser.waitFor(Self.screen)
        try await browser.clickWhenThere("#control-forgot")
        try await browser.waitFor("We can send a reset code to your email")
        try await browser.clickWhenThere("#control-reset")
        try await browser.waitFor("Enter reset code from email")
        let mailed = try #require(server.mailedCode)
        let code = mailed.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        // A refused code comes back to its step after the new passcode was typed.
        for (digits, isRight) in [(code == "111111" ? "222222" : "111111", false), (code, true)] {
            try await browser.typeOnPad(digits)
            try await browser.waitFor("Enter new passcode")
            try await browser.typeOnPad(Self.new)
            try await browser.waitFor("Confirm new passcode")
            try await browser.typeOnPad(Self.new)
            if !isRight {
                try await browser.waitFor("Incorrect code")
                try await browser.waitFor("Enter reset code from email")
                #expect(try await !browser.source.contains(WebBench.content))
            }
        }
        try await browser.waitFor(WebBench.content)
        #expect(server.holds(SecretBytes(copying: Self.new.utf8)))
    }

    private func forgotLogout(
        _ browser: Browser,
        _ address: String,
        _ bench: WebBench,
        _ server: InMemoryAccountServer
    ) async throws {
        try await browser.lockNow()
        try await browser.waitFor(Self.screen)
        try await browser.clickWhenThere("#control-forgot")
        try await browser.clickWhenThere("#control-logout")
        try await browser.waitFor("Sign in")
        #expect(try await !bench.service().status().isSet)
        #expect(bench.host.signOuts.count == 1)
        #expect(server.holds(SecretBytes(copying: WebBench.right.utf8)))
        try await browser.go("\(address)/")
        #expect(try await !browser.source.contains(WebBench.content))
        try await signIn(browser, address)
        try await browser.waitFor(WebBench.content)
    }

    private func change(
        _ browser: Browser,
        _ address: String,
        _ bench: WebBench,
        _ line: InMemoryPasscodeAccount
    ) async throws {
        try await browser.go("\(address)/_lock/security")
        try await browser.clickWhenThere("#control-change")
        try await browser.waitFor("Enter current passcode")
        try await browser.typeOnPad("111111")
        try await browser.waitFor("Incorrect passcode")
        try await browser.waitFor("Enter current passcode")
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor("Enter new passcode")
        try await browser.typeOnPad(Self.new)
        try await browser.waitFor("Confirm new passcode")
        try await browser.typeOnPad("270955")
        try await browser.waitFor("Passcodes don't match. Try again.")
        await bench.clock.advance(by: .milliseconds(500))
        try await browser.waitFor("Enter new passcode")
        try await browser.typeOnPad(Self.new)
        try await browser.waitFor("Confirm new passcode")
        line.failNext(.change, .serverFailure)
        try await browser.typeOnPad(Self.new)
        try await browser.expectFailedSaving()
        try await browser.typeOnPad(Self.new)
        try await browser.waitFor("Change Passcode")
        try await browser.waitFor("Require Passcode")
        #expect(line.server.holds(SecretBytes(copying: Self.new.utf8)))
    }

    private func setFails(
        _ browser: Browser,
        _ bench: WebBench,
        _ line: InMemoryPasscodeAccount
    ) async throws {
        line.failNext(.set, .serverFailure)
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor("Confirm passcode")
        try await browser.typeOnPad(WebBench.right)
        try await browser.expectFailedSaving()
        #expect(try await !bench.service().status().isSet)
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor(WebBench.content)
        #expect(line.server.holds(SecretBytes(copying: WebBench.right.utf8)))
    }

    private func signIn(_ browser: Browser, _ address: String) async throws {
        try await browser.go("\(address)/sign-in")
        try await browser.clickWhenThere("button")
    }
}

extension Browser {
    /// Hides the page for a time of the test's clock.
    fileprivate func leave(for time: Duration, _ bench: WebBench) async throws {
        let tab = try await newTab()
        // Every page that was there before is silent by now: the browser's report is on its way, in its own time.
        try await Task.sleep(for: .milliseconds(500))
        await bench.clock.advance(by: time)
        try await switchTo(tab)
    }

    /// The server's failure is shown, and the entry is empty at the step that confirms.
    fileprivate func expectFailedSaving() async throws {
        try await waitFor("The server has a problem. Try again later.")
        #expect(try await text.contains("onfirm"))
        #expect(try await run("return '' + document.querySelectorAll('.dots .full').length") == "0")
    }
}

@Suite(
    "Scenarios with an account, in a browser (SPEC 1.7, W-5)",
    .enabled(if: BrowserKind.chromium.isInstalled, "chromium and chromedriver are not installed"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct AccountPageTests {
    @Test("1.7, W-5: with an account", arguments: AccountPageScenario.allCases)
    func scenario(_ scenario: AccountPageScenario) async throws { try await scenario.run() }
}
#endif
