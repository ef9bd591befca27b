#if HummingbirdLock && Passkeys
import Foundation
import HummingbirdLock
import Passkeys
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing
import WebBrowser

@Suite(
    "Passkeys on the lock's pages (W-3)",
    .enabled(if: BrowserKind.chromium.isInstalled, "chromium and chromedriver are not installed"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct PasskeyLockTests {
    private static let screen = "Enter Passcode"

    private func bench() -> WebBench {
        var bench = WebBench { $0.isSecure = false }
        bench.hasPasskeys = true
        return bench
    }

    @Test(
        "W-3, W-5: a passkey that is set up in the settings unlocks by itself, and no passcode is looked at"
    )
    func unlock() async throws {
        let bench = bench()
        try await bench.visit { browser, address in
            _ = try await browser.addAuthenticator()
            try await enrol(browser, address, bench)
            // Twice: the second time the key is wrapped under the output of the first.
            for _ in 0..<2 {
                let tries = bench.sealer.derivations
                try await browser.go("\(address)/")
                try await browser.waitFor(WebBench.content)
                try await browser.lockNow()
                try await BoundedWait.until("the unlock", limit: .seconds(30), every: .milliseconds(20)) {
                    try await !bench.service().status().lock.isLocked
                }
                try await browser.waitFor(WebBench.content)
                #expect(bench.sealer.derivations == tries)
            }
        }
    }

    @Test("W-3, P-21: with locking at once, what a passkey has unlocked stays open")
    func immediately() async throws {
        let bench = bench()
        try await bench.visit { browser, address in
            _ = try await browser.addAuthenticator()
            try await enrol(browser, address, bench)
            try await bench.service().setTimeout(.immediately)
            try await browser.go("\(address)/")
            try await browser.waitFor(WebBench.content)
            try await browser.lockNow()
            try await BoundedWait.until("the unlock", limit: .seconds(30), every: .milliseconds(20)) {
                try await !bench.service().status().lock.isLocked
            }
            try await browser.waitFor(WebBench.content)
            // The page that was unlocked is gone by then, and the next one has told that it is seen.
            try await Task.sleep(for: .seconds(2))
            #expect(try await !bench.service().status().lock.isLocked)
            #expect(try await browser.text.contains(WebBench.content))
        }
    }

    @Test(
        "W-3: a removed passkey, a copy that counts behind, one without its secret, a wrong person: the passcode unlocks"
    )
    func refused() async throws {
        let bench = bench()
        try await bench.visit { browser, address in
            let authenticator = try await browser.addAuthenticator()
            try await enrol(browser, address, bench)
            let copy = try #require(try await browser.passkeys(of: authenticator).first)
            try await browser.removePasskeys(of: authenticator)
            try await expectPasscode(browser, address, bench, nil)

            try await browser.add(copy, used: 1, to: authenticator)
            try await expectPasscode(browser, address, bench, PasskeyTexts().counterWentBack)
            try await browser.removePasskeys(of: authenticator)
            try await browser.add(copy, used: 100, to: authenticator)
            try await expectPasscode(browser, address, bench, PasskeyTexts().noKeyOutput)

            try await browser.recogniseNobody(by: authenticator)
            try await expectPasscode(browser, address, bench, nil)
        }
    }

    @Test(
        "W-3: a device without the PRF extension and one that verifies nobody are refused in words; nothing is kept"
    )
    func unfit() async throws {
        let bench = bench()
        try await bench.visit { browser, address in
            let texts = PasskeyTexts()
            for (hasPRF, verifies, text) in [(false, true, texts.noKeyOutput), (true, false, texts.notMade)] {
                let authenticator = try await browser.addAuthenticator(hasPRF: hasPRF, verifies: verifies)
                try await beginEnrolling(browser, address)
                try await browser.waitFor(text)
                #expect(try await !bench.service().status().usesBiometrics)
                try await browser.clickWhenThere("#control-cancel")
                try await browser.waitFor("Security")
                try await browser.remove(authenticator)
            }
            let store = InMemorySecretStore(bench.storage)
            #expect(try await store.read(PasskeyNames.record(of: UserID("ada")!)) == nil)
        }
    }

    @Test("W-3, P-14: a lock while the passcode is checked keeps the browser from being asked for a passkey")
    func lockedMeanwhile() async throws {
        let bench = bench()
        try await bench.visit { browser, address in
            let authenticator = try await browser.addAuthenticator()
            try await browser.go("\(address)/_lock/security")
            try await browser.clickWhenThere("#control-biometrics")
            try await browser.waitFor("Enter current passcode")
            bench.sealer.gate.close()
            try await browser.typeOnPad(WebBench.right)
            await bench.sealer.gate.waitForHeld(1)
            try await browser.lockNow()
            try await browser.waitFor(Self.screen)
            bench.sealer.gate.open()
            // Whoever is there now could answer a prompt.
            try await Task.sleep(for: .seconds(2))
            #expect(try await browser.passkeys(of: authenticator).isEmpty)
            #expect(try await !bench.service().status().usesBiometrics)
        }
    }

    // MARK: Steps

    private func beginEnrolling(_ browser: Browser, _ address: String, script: String = "") async throws {
        try await browser.go("\(address)/_lock/security")
        try await browser.clickWhenThere("#control-biometrics")
        try await browser.waitFor("Enter current passcode")
        try await browser.run(script)
        try await browser.typeOnPad(WebBench.right)
    }

    /// Sets a passkey up. The answer to the last digit comes late, after the prompt: it does not take the prompt away.
    private func enrol(_ browser: Browser, _ address: String, _ bench: WebBench) async throws {
        let script = """
            const wait = time => new Promise(done => setTimeout(done, time));
            const ask = window.fetch;
            window.fetch = (...all) => ask(...all).then(async answer => {
              if (/input/.test(all[0])) await wait(500);
              return answer;
            });
            const make = navigator.credentials.create.bind(navigator.credentials);
            navigator.credentials.create = options => wait(1500).then(() => make(options));
            """
        try await beginEnrolling(browser, address, script: script)
        try await BoundedWait.until("the passkey", limit: .seconds(30), every: .milliseconds(20)) {
            try await bench.service().status().usesBiometrics
        }
    }

    /// Locks, and unlocks with the passcode after the passkey was of no use.
    ///
    /// - Parameter message: what the lock screen says then; `nil` for nothing.
    private func expectPasscode(
        _ browser: Browser,
        _ address: String,
        _ bench: WebBench,
        _ message: String?
    ) async throws {
        try await browser.go("\(address)/")
        try await browser.waitFor(WebBench.content)
        try await browser.lockNow()
        try await browser.waitFor(Self.screen)
        // Its button can be used again once the prompt has ended.
        try await browser.waitUntil("the end of the prompt") {
            try await browser.run(
                "const b = document.getElementById('control-biometrics'); return b && !b.hasAttribute('aria-disabled') ? 'yes' : ''"
            ) == "yes"
        }
        if let message { try await browser.waitFor(message) }
        #expect(try await !browser.source.contains(WebBench.content))
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor(WebBench.content)
    }
}
#endif
