#if HummingbirdLock
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import LockScreens
import PasscodeLock
import PortcullisTesting
import Testing

@Suite("Screens over the content that open late (W-2)", .timeLimit(.minutes(5)))
struct ScreenOpeningTests {
    private static let slow = "Create a passcode"
    private static let security = "Require Passcode"
    private let gate = Gate()

    /// An app with a passcode. Its screen "slow" passes the gate before it is shown, and its screen "two" passes
    /// the gate before its second part.
    private func bench() async throws -> WebBench {
        let bench = WebBench { [gate] in
            $0.screens["slow"] = { session in
                _ = await gate.pass()
                await session.showOffer()
            }
            $0.screens["two"] = { session in
                await session.showOffer()
                _ = await gate.pass()
                await session.show { session, close in
                    ScreenEffects(service: session.service).securitySettingsDriver { _ in close() }
                }
            }
        }
        try await bench.setPasscode()
        gate.close()
        return bench
    }

    @Test("W-2: a screen that has waited is not shown over the screen that replaced it")
    func replaced() async throws {
        try await Application(router: try await bench().router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let slow = Task { try await visitor.page("/_lock/screen/slow") }
            await gate.waitForHeld(1)
            #expect(try await visitor.page("/_lock/security").text.contains(Self.security))
            gate.open()
            _ = try await slow.value
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await visitor.page("/_lock/input?/").text.contains(Self.security))
        }
    }

    @Test("W-2: the body of a replaced screen does not end the screen that was opened by the same name")
    func replacedByItself() async throws {
        try await Application(router: try await bench().router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let first = Task { try await visitor.page("/_lock/screen/slow") }
            await gate.waitForHeld(1)
            _ = try await visitor.page("/_lock/security")
            let second = Task { try await visitor.page("/_lock/screen/slow") }
            await gate.waitForHeld(2)
            gate.open()
            #expect(try await second.value.text.contains(Self.slow))
            _ = try await first.value
            // The screen is open, so the address opens no other one.
            let page = try await visitor.page("/_lock/screen/slow")
            #expect(page.text.contains(Self.slow))
            var posts = PagePosts(of: visitor, on: page.pageName)
            try await posts.post("activate=later")
            try await visitor.waitUntilClosed()
        }
    }

    @Test("W-2: a screen that is asked for again while it is opened is waited for")
    func askedTwice() async throws {
        try await Application(router: try await bench().router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let pages = [
                Task { try await visitor.page("/_lock/screen/slow") },
                Task { try await visitor.page("/_lock/screen/slow") },
            ]
            await gate.waitForHeld(1)
            try await Task.sleep(for: .milliseconds(50))
            gate.open()
            for page in pages { #expect(try await page.value.text.contains(Self.slow)) }
        }
    }

    @Test("W-2: a request between the two parts of a screen waits for the second part")
    func askedBetween() async throws {
        try await Application(router: try await bench().router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let page = try await visitor.page("/_lock/screen/two")
            #expect(page.text.contains(Self.slow))
            var posts = PagePosts(of: visitor, on: page.pageName)
            try await posts.post("activate=later")
            try await visitor.waitUntilClosed()
            await gate.waitForHeld(1)
            let again = Task { try await visitor.page("/_lock/screen/two") }
            try await Task.sleep(for: .milliseconds(50))
            gate.open()
            #expect(try await again.value.text.contains(Self.security))
        }
    }

    @Test("P-37, W-2: the settings open again while the store is still asked after they have closed")
    func askedAfterClosing() async throws {
        var bench = WebBench()
        let store = GatedStore(base: InMemorySecretStore(bench.storage))
        bench.store = store
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            var posts = PagePosts(of: visitor, on: try await visitor.page("/_lock/security").pageName)
            try await visitor.waitUntilReady()
            store.reads.close()
            try await posts.post("activate=ok")
            try await visitor.waitUntilClosed()
            await store.reads.waitForHeld(1)
            let again = try await visitor.page("/_lock/security")
            #expect(again.status == .ok)
            store.reads.open()
        }
    }

    @Test("P-37, W-2: an act of the settings shows no screen after they were closed")
    func closedSettings() async throws {
        var bench = WebBench()
        let account = InMemoryPasscodeAccount(InMemoryAccountServer(clock: bench.clock))
        bench.account = account
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            var posts = PagePosts(of: visitor, on: try await visitor.page("/_lock/security").pageName)
            try await visitor.waitUntilReady()
            account.gate.close()
            for control in ["reset", "ok"] {
                try await posts.post("activate=\(control)")
                await account.gate.waitForHeld(1)
            }
            try await visitor.waitUntilClosed()
            account.gate.open()
            try await BoundedWait.until("the mail") { account.server.mailedCode != nil }
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await visitor.pulse().text.contains("\"screen\":\"\""))
        }
    }
}

extension WebSession {
    /// Shows the offer to set a passcode.
    fileprivate func showOffer() async {
        await show { session, close in
            ScreenEffects(service: session.service).firstSetUpDriver { _ in close() }
        }
    }
}

extension Visitor {
    /// Waits until the shown screen takes inputs.
    fileprivate func waitUntilReady() async throws {
        try await BoundedWait.until("a screen that listens", every: .milliseconds(20)) {
            try await pulse().text.contains("\"isBusy\":false")
        }
    }
}
#endif
