#if HummingbirdLock
import Foundation
import HummingbirdLock
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing
import WebBrowser

@Suite(
    "The lock in a browser (W-2, W-5)",
    .enabled(if: BrowserKind.chromium.isInstalled, "chromium and chromedriver are not installed"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct LockBrowserTests {
    private static let content = WebBench.content
    private static let screen = "Enter Passcode"

    @Test("P-32, W-1, W-2, 1.7: what every browser does", arguments: LockScenario.allCases)
    func scenario(_ scenario: LockScenario) async throws { try await scenario.run(in: .chromium) }

    private func visit(
        _ bench: WebBench = WebBench { $0.isSecure = false },
        hasPasscode: Bool = true,
        _ body: @Sendable @escaping (Browser, String) async throws -> Void
    ) async throws {
        try await bench.visit(hasPasscode: hasPasscode, body)
    }

    @Test("P-30, 1.7: the pad's keys fill the dots, delete takes one back, a pasted passcode counts")
    func pad() async throws {
        try await visit { browser, _ in
            try await browser.lockNow()
            try await browser.waitFor(Self.screen)
            let dots = "return '' + document.querySelectorAll('.dots .full').length"
            for (index, digit) in "83491".enumerated() {
                try await browser.clickWhenThere("#digit-\(digit)")
                try await browser.waitUntil("dot \(index + 1)") {
                    try await browser.run(dots) == "\(index + 1)"
                }
            }
            try await browser.clickWhenThere("#delete")
            try await browser.waitUntil("one less") { try await browser.run(dots) == "4" }
            try await browser.waitUntil("what is said of them") {
                try await browser.run("return document.getElementById('typed').textContent")
                    == "4 of 6 digits entered"
            }
            for _ in 0..<4 { try await browser.press("\u{E003}") }
            try await browser.waitUntil("no dots") { try await browser.run(dots) == "0" }
            try await browser.run(
                """
                const data = new DataTransfer(); data.setData('text', '834 912');
                document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
                """
            )
            try await browser.waitFor(Self.content)
        }
    }

    @Test("1.7: a page that is hidden for 10 s locks with the preset of 5 s, for 2 s it does not")
    func away() async throws {
        let bench = WebBench { $0.isSecure = false }
        try await visit(bench) { browser, address in
            for (seconds, isLocked) in [(2, false), (10, true)] {
                // Every page that was there before is silent by now.
                let tab = try await browser.newTab()
                try await Task.sleep(for: .milliseconds(500))
                await bench.clock.advance(by: .seconds(seconds))
                try await browser.switchTo(tab)
                try await browser.waitFor(isLocked ? Self.screen : Self.content)
            }
            #expect(try await !browser.source.contains(Self.content))
        }
    }

    @Test("W-2: a page of one session is loaded anew once the browser belongs to another one")
    func otherSession() async throws {
        try await visit { browser, address in
            try await browser.run("document.title = 'of the first'")
            let first = try await browser.newTab()
            try await browser.go("\(address)/assets/logo")
            // As after a restart of the server: the first session's end is told to none of its pages.
            try await browser.forgetCookies()
            try await browser.signIn(address)
            try await browser.switchTo(first)
            try await browser.waitUntil("another page") {
                try await browser.run("return document.title") != "of the first"
            }
        }
    }

    @Test("1.7: without a passcode nothing locks")
    func noPasscode() async throws {
        let bench = WebBench { $0.isSecure = false }
        try await visit(bench, hasPasscode: false) { browser, _ in
            await bench.clock.advance(by: .seconds(3600))
            try await browser.reload()
            #expect(try await browser.text.contains(Self.content))
        }
    }

    @Test("W-2: at a path that looks like another host, the unlocked page is loaded from this host")
    func pathLikeHost() async throws {
        try await visit { browser, address in
            try await browser.lockNow()
            try await browser.waitFor(Self.screen)
            try await browser.go("\(address)//evil.invalid/page")
            try await browser.waitFor(Self.screen)
            try await browser.typeOnPad(WebBench.right)
            // The host has no such page, so the browser shows one of its own. Its history has the address.
            try await browser.waitUntil("the browser's page") {
                try await browser.run("return location.protocol") == "chrome-error:"
            }
            let history = try await browser.cdp("Page.getNavigationHistory").value as? [String: Any]
            let entries = try #require(history?["entries"] as? [[String: Any]])
            let current = try #require(history?["currentIndex"] as? Int)
            #expect(entries[current]["url"] as? String == "\(address)//evil.invalid/page")
        }
    }

    @Test("W-2: after a post to a locked session, the unlocked page is not loaded from the post's address")
    func postedForm() async throws {
        try await visit { browser, address in
            try await browser.go("\(address)/order-form")
            try await browser.lockNow()
            try await browser.clickWhenThere("button")
            try await browser.waitFor(Self.screen)
            #expect(try await browser.run("return location.pathname") == "/api/orders")
            try await browser.typeOnPad(WebBench.right)
            try await browser.waitFor(Self.content)
            #expect(try await browser.run("return location.pathname") == "/")
        }
    }

    @Test("W-2: back, forward and loading anew show nothing of what was open")
    func history() async throws {
        try await visit { browser, address in
            try await browser.go("\(address)/?page=2")
            try await browser.waitFor(Self.content)
            try await browser.lockNow()
            try await browser.waitFor(Self.screen)
            try await browser.back()
            try await browser.waitFor(Self.screen)
            #expect(try await !browser.source.contains(Self.content))
            try await browser.reload()
            #expect(try await !browser.source.contains(Self.content))
        }
    }

    @Test(
        "P-33, 1.7: forgot → logout: the passcode is removed, the person signed out, the content never uncovered"
    )
    func forgot() async throws {
        let bench = WebBench { $0.isSecure = false }
        try await visit(bench) { browser, address in
            try await browser.lockNow()
            try await browser.waitFor(Self.screen)
            try await browser.clickWhenThere("#control-forgot")
            try await browser.waitFor("Your passcode will be removed")
            #expect(try await browser.run("return document.activeElement.id") == "control-cancel")
            try await browser.clickWhenThere("#control-logout")
            try await browser.waitFor("Sign in")
            #expect(try await !bench.service().status().isSet)
            #expect(bench.host.signOuts.count == 1)
            try await browser.go("\(address)/")
            #expect(try await !browser.source.contains(Self.content))
        }
    }

    @Test("P-34, P-36, 1.7: set-up by its screens: an easily guessed one is asked about, then set")
    func setUp() async throws {
        let bench = WebBench { $0.isSecure = false }
        try await visit(bench, hasPasscode: false) { browser, address in
            try await browser.go("\(address)/_lock/setup")
            try await browser.waitFor("Create a passcode")
            try await browser.typeOnPad("123456")
            try await browser.waitFor("easily guessed")
            try await browser.clickWhenThere("#control-use")
            try await browser.waitFor("Confirm passcode")
            try await browser.typeOnPad("123457")
            try await browser.waitFor("Passcodes don't match")
            await bench.clock.advance(by: .milliseconds(500))
            try await browser.waitFor("Create a passcode")
            try await browser.typeOnPad(WebBench.right)
            try await browser.waitFor("Confirm passcode")
            try await browser.typeOnPad(WebBench.right)
            try await browser.waitFor(Self.content)
            #expect(try await bench.service().status().isSet)
        }
    }

    // The popover that was shown last lies above all that was shown before it, also above modal dialogs.
    private static let cover = "return '' + document.querySelector('html > div')?.matches(':popover-open')"

    @Test("W-2: a page whose requests get no answer is covered, above its own dialogs")
    func hungRequests() async throws {
        try await visit { browser, _ in
            let before = try await browser.run(
                """
                const dialog = document.createElement('dialog');
                dialog.style = 'position: fixed; inset: 0; width: 100vw; height: 100vh; max-width: none';
                document.body.append(dialog);
                dialog.showModal();
                const real = performance.now.bind(performance);
                window.fetch = () => new Promise(() => {});
                performance.now = () => real() + 10001;
                \(Self.cover)
                """
            )
            #expect(before == "undefined")
            try await browser.waitUntil("the cover") { try await browser.run(Self.cover) == "true" }
        }
    }

    @Test("W-2: a page is covered after the machine slept, also where the page's clock stood still")
    func sleep() async throws {
        try await visit { browser, _ in
            let before = try await browser.run(
                """
                const still = performance.now(), real = Date.now;
                window.fetch = () => Promise.reject(new TypeError('no network'));
                performance.now = () => still;
                Date.now = () => real() + 3600000;
                \(Self.cover)
                """
            )
            #expect(before == "undefined")
            try await browser.waitUntil("the cover") { try await browser.run(Self.cover) == "true" }
        }
    }

    @Test("W-2: an answer from before an absence does not uncover a page, and one from after it does")
    func lateAnswer() async throws {
        try await visit { browser, _ in
            let covers = try await browser.run(
                """
                const real = window.fetch, held = [], turn = () => new Promise(done => setTimeout(done));
                // The messages of the real answers, each as soon as the test asks for it.
                window.fetch = (...request) => new Promise(answer => held.push(async () => {
                  const message = await (await real(...request)).json();
                  answer({ ok: true, status: 200, json: async () => message });
                  await turn();
                }));
                let isHidden;
                Object.defineProperty(document, 'hidden', { get: () => isHidden });
                const show = isShown => {
                  isHidden = !isShown;
                  document.dispatchEvent(new Event('visibilitychange'));
                };
                const cover = () => { \(Self.cover) };
                return (async () => {
                  const covers = [cover()];
                  // A report of the visible page, one as it is hidden, and one as it is shown again.
                  dispatchEvent(new Event('focus'));
                  for (const isShown of [false, true]) show(isShown);
                  for (const answer of held.slice(0, 3)) {
                    await answer();
                    covers.push(cover());
                  }
                  return covers.join(' ');
                })();
                """
            )
            #expect(covers == "undefined true true undefined")
        }
    }

    @Test("W-2: a tab that was killed counts as left, and the session locks")
    func killed() async throws {
        let bench = WebBench { $0.isSecure = false }
        try await visit(bench) { browser, address in
            try await browser.cdp("Network.enable")
            let nothing: [String: Any] = [
                "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
            ]
            try await browser.cdp("Network.emulateNetworkConditions", nothing)
            try await Task.sleep(for: .milliseconds(200))
            await bench.clock.advance(by: .seconds(10))
            #expect(try await !bench.service().status().lock.isLocked)
            await bench.clock.waitForSleepers(2)
            await bench.clock.advance(by: .seconds(5))
            try await BoundedWait.until("the lock", every: .milliseconds(5)) {
                try await bench.service().status().lock.isLocked
            }
        }
    }
}
#endif
