import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// SPEC 1.7, account: one test per scenario, by its name there.
@MainActor
@Suite("Scenarios, account (SPEC 1.7)", .timeLimit(.minutes(5)))
struct AccountScenarios {
    /// A device on which somebody is signed in and has set a passcode.
    private func app(passcode: String? = "834912") async throws -> AccountApp {
        let app = AccountApp()
        try await app.launch()
        try await app.logIn()
        if let passcode {
            app.setUp?.type(passcode + passcode)
        } else {
            app.setUp?.send(.activate(.setUpLater))
        }
        try await app.settle("the dashboard is shown") { app.page == .staffDashboard }
        return app
    }

    private func effects(_ app: AccountApp) throws -> ScreenEffects {
        ScreenEffects(service: try #require(app.service))
    }

    @Test("P-40: first login without passcode shows set-up, not dashboard")
    func firstLogin() async throws {
        let app = AccountApp()
        try await app.launch()
        #expect(app.sees == "staffLogin")
        try await app.logIn()
        #expect(app.page == .passcodeSetUp)
        #expect(app.setUp?.content.title == "Set Passcode")
    }

    @Test("P-36, P-40: set and confirm → dashboard")
    func setAndConfirm() async throws {
        let app = try await app()
        #expect(app.sees == "jobs")
        #expect(app.server.holds(SecretBytes("834912")))
        #expect(try await app.service?.status().standing == .confirmed)
    }

    @Test("P-40: later login with passcode → dashboard")
    func laterLogin() async throws {
        let app = AccountApp()
        app.server.replacePasscode(SecretBytes("834912"))
        try await app.launch()
        try await app.logIn()
        #expect(app.sees == "jobs")
        #expect(app.setUp == nil)
        await app.leave(for: .seconds(16 * 60))
        app.lock?.lockScreen?.type("270954")
        try await app.settle("refused") {
            app.lock?.lockScreen?.content.message?.text == "Incorrect passcode"
        }
        app.lock?.lockScreen?.type("834912")
        try await app.settle("unlocked") { app.sees == "jobs" }
        app.line.setOffline(true)
        await app.leave(for: .seconds(16 * 60))
        app.lock?.lockScreen?.type("834912")
        try await app.settle("unlocked without the account") { app.sees == "jobs" }
    }

    @Test("P-21: lock after 16 min with the 15 min preset, none after 5")
    func preset() async throws {
        let app = try await app()
        await app.leave(for: .seconds(5 * 60))
        #expect(app.sees == "jobs")
        await app.leave(for: .seconds(16 * 60))
        #expect(app.sees == "lock screen")
    }

    @Test("P-5, P-37: no lock without or with disabled passcode")
    func noLock() async throws {
        let without = try await app(passcode: nil)
        await without.leave(for: .seconds(3600))
        #expect(without.sees == "jobs")
        let disabled = try await app()
        disabled.server.setEnabled(false)
        await disabled.lock?.synchronise()
        await disabled.leave(for: .seconds(3600))
        #expect(disabled.sees == "jobs")
        try await disabled.relaunch()
        #expect(disabled.sees == "jobs")
        let settings = try effects(disabled).securitySettings { _ in }
        try await disabled.settle("told") {
            settings.content.message?.text == "Disabled by your administrator"
        }
    }

    @Test("P-33, P-35: forgot → reset mail → code → new → unlocked")
    func forgotReset() async throws {
        let app = try await app()
        await app.leave(for: .seconds(16 * 60))
        app.lock?.lockScreen?.send(.activate(.forgot))
        let alert = app.lock?.lockScreen?.content.alert
        #expect(
            alert?.text
                == "We can send a reset code to your email, or you can logout and sign in again."
        )
        #expect(alert?.actions.map(\.title) == ["Cancel", "Send Reset Email", "Logout"])
        app.line.failNext(.requestReset, .unreachable)
        app.lock?.lockScreen?.send(.activate(.sendReset))
        try await app.settle("the failure is shown") {
            app.lock?.lockScreen?.content.message?.text
                == "The server cannot be reached. Check your connection and try again."
        }
        #expect(app.lock?.resetScreen == nil)
        app.lock?.lockScreen?.send(.activate(.forgot))
        app.lock?.lockScreen?.send(.activate(.sendReset))
        try await app.settle("the reset screen opened") { app.lock?.resetScreen != nil }
        // Reading the mail takes the person out of the app.
        await app.leave(for: .seconds(60))
        let code = try #require(app.server.mailedCode)
        let digits = code.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        let reset = try #require(app.lock?.resetScreen)
        reset.type(digits == "111111" ? "222222" : "111111")
        reset.type("270954" + "270954")
        try await app.settle("refused") { reset.content.message?.text == "Incorrect code" }
        #expect(reset.content.prompt == "Enter reset code from email")
        #expect(app.sees == "lock screen")
        reset.type(digits + "270954" + "270954")
        try await app.settle("unlocked") { app.sees == "jobs" }
        #expect(app.lock?.resetScreen == nil)
        #expect(app.server.holds(SecretBytes("270954")))
    }

    @Test("P-33: a reset that is cancelled leaves the lock screen, and another one can be asked for")
    func cancelledReset() async throws {
        let app = try await app()
        await app.leave(for: .seconds(16 * 60))
        for _ in 0..<2 {
            app.lock?.lockScreen?.send(.activate(.forgot))
            app.lock?.lockScreen?.send(.activate(.sendReset))
            try await app.settle("the reset screen opened") { app.lock?.resetScreen != nil }
            app.lock?.resetScreen?.send(.activate(.cancel))
            try await app.settle("the reset screen closed") { app.lock?.resetScreen == nil }
            #expect(app.sees == "lock screen")
        }
    }

    @Test("P-33: forgot → logout → login; the account keeps the passcode, the device nothing of it")
    func forgotLogout() async throws {
        let app = try await app()
        await app.leave(for: .seconds(16 * 60))
        app.sessions.gate.close()
        app.lock?.lockScreen?.send(.activate(.forgot))
        app.lock?.lockScreen?.send(.activate(.logOut))
        try await app.settle("signing out") { app.lock?.cover == .signingOut }
        app.sessions.gate.open()
        try await app.noticeSignOut()
        #expect(app.sees == "staffLogin")
        #expect(app.sessions.signOuts == [.ada])
        #expect(try await app.service?.status().isSet == false)
        #expect(app.server.holds(SecretBytes("834912")))
        try await app.logIn()
        #expect(app.sees == "jobs")
        #expect(try await app.service?.status().standing == .unconfirmed)
    }

    @Test("P-24: overlay covers every tab")
    func everyTab() async throws {
        let app = try await app()
        for tab in AccountApp.Tab.allCases {
            app.tab = tab
            #expect(app.sees == "\(tab)")
            await app.lock?.phaseChanged(to: .inactive)
            #expect(app.sees == "cover")
            await app.lock?.phaseChanged(to: .active)
            await app.leave(for: .seconds(16 * 60))
            #expect(app.sees == "lock screen")
            app.lock?.lockScreen?.type("834912")
            try await app.settle("unlocked") { app.sees == "\(tab)" }
        }
    }

    @Test("P-36, P-41: \"Set up later\" → dashboard, and not asked again after restart")
    func setUpLater() async throws {
        let app = try await app(passcode: nil)
        #expect(app.sees == "jobs")
        try await app.relaunch()
        #expect(app.sees == "jobs")
        #expect(app.setUp == nil)
        // Also after a log-out; another person is asked.
        await app.sessions.signOut()
        try await app.relaunch()
        try await app.logIn()
        #expect(app.sees == "jobs")
        await app.sessions.signOut()
        try await app.relaunch()
        try await app.logIn(UserID("bob")!)
        #expect(app.page == .passcodeSetUp)
    }

    @Test("P-34: change: wrong current stays; full flow current → new → confirm → saved")
    func change() async throws {
        let app = try await app()
        var ending: SetPasscodeScreen.Ending?
        let status = try #require(try await app.service?.status())
        let screen = try effects(app).setPasscode(.change, status: status) { ending = $0 }
        screen.type("270954")
        try await app.settle("refused") { screen.content.shakes == 1 }
        #expect(screen.content.prompt == "Enter current passcode")
        screen.type("834912")
        try await app.settle("the current one is right") { screen.content.prompt == "Enter new passcode" }
        screen.type("270954")
        #expect(screen.content.prompt == "Confirm new passcode")
        screen.type("270954")
        try await app.settle("saved") { if case .saved? = ending { true } else { false } }
        #expect(app.server.holds(SecretBytes("270954")))
        #expect(try await app.service?.verify(SecretBytes("270954")).isRight == true)
    }

    @Test("P-34: mismatch while setting: shake, and back to the new passcode after half a second")
    func mismatch() async throws {
        let app = AccountApp()
        try await app.launch()
        try await app.logIn()
        let setUp = try #require(app.setUp)
        setUp.type("834912" + "834913")
        #expect(setUp.content.message?.text == "Passcodes don't match. Try again.")
        #expect(setUp.content.shakes == 1)
        await app.clock.waitForSleepers(1)
        await app.clock.advance(by: .milliseconds(500))
        try await app.settle("asked again") { setUp.content.prompt == "Create a passcode" }
        #expect(!app.server.status.hasPasscode)
        #expect(app.page == .passcodeSetUp)
    }

    @Test("P-34: API error while saving: shown, the entry cleared, the step kept, nothing dismissed")
    func saveFails() async throws {
        let app = AccountApp()
        try await app.launch()
        try await app.logIn()
        let setUp = try #require(app.setUp)
        app.line.failNext(.set, .serverFailure)
        setUp.type("834912" + "834912")
        try await app.settle("shown") {
            setUp.content.message?.text == "The server has a problem. Try again later."
        }
        #expect(setUp.content.prompt == "Confirm passcode")
        #expect(setUp.content.entry?.filled == 0)
        #expect(app.page == .passcodeSetUp)
        #expect(try await app.service?.status().isSet == false)
        setUp.type("834912")
        try await app.settle("saved at the second try") { app.sees == "jobs" }
    }

    @Test("P-51: the session was ended elsewhere: said so, and what the device knows still opens it")
    func endedElsewhere() async throws {
        let app = try await app()
        app.line.setSignedIn(false)
        await app.leave(for: .seconds(16 * 60))
        try await app.settle("noticed") { app.lock?.accountFailure != nil }
        #expect((app.lock?.accountFailure?.cause as? PasscodeAccountError)?.code == .notSignedIn)
        app.lock?.lockScreen?.send(.activate(.forgot))
        app.lock?.lockScreen?.send(.activate(.sendReset))
        try await app.settle("said") {
            app.lock?.lockScreen?.content.message?.text == "You have been signed out. Log in again."
        }
        app.lock?.lockScreen?.type("834912")
        try await app.settle("unlocked") { app.sees == "jobs" }
    }

    @Test("P-51: set offline at first login, it is sent after the next unlocking")
    func setOffline() async throws {
        let app = AccountApp()
        try await app.launch()
        app.line.setOffline(true)
        try await app.logIn()
        app.setUp?.type("834912" + "834912")
        try await app.settle("the dashboard is shown") { app.page == .staffDashboard }
        app.line.mend()
        await app.leave(for: .seconds(16 * 60))
        app.lock?.lockScreen?.type("834912")
        try await app.settle("sent") { app.server.holds(SecretBytes("834912")) }
        try await app.settle("unlocked") { app.sees == "jobs" }
    }
}
