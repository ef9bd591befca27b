#if HummingbirdLock
import HummingbirdLock
import PortcullisCore
import PortcullisTesting
import Testing
import WebBrowser

/// What a person does with the lock's pages, which is the same in every browser.
enum LockScenario: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case unlock = "locked elsewhere, the page shows the lock screen; the right passcode brings it back"
    case wrong = "three wrong passcodes: each time a shake, empty dots and the message; no lock-out yet"
    case tabs = "twelve tabs agree within a second, and what they showed is out of their documents"
    case scriptless = "without script the plain forms unlock"

    var testDescription: String { rawValue }

    func run(in kind: BrowserKind) async throws {
        let bench = WebBench { $0.isSecure = false }
        try await bench.visit(in: kind, hasScript: self != .scriptless) { browser, address in
            switch self {
            case .unlock: try await unlock(browser)
            case .wrong: try await wrong(browser, bench)
            case .tabs: try await tabs(browser, address)
            case .scriptless: try await scriptless(browser, address)
            }
        }
    }

    private static let screen = "Enter Passcode"

    private func unlock(_ browser: Browser) async throws {
        try await browser.lockNow()
        try await browser.waitFor(Self.screen)
        #expect(try await !browser.source.contains(WebBench.content))
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor(WebBench.content)
    }

    private func wrong(_ browser: Browser, _ bench: WebBench) async throws {
        try await browser.lockNow()
        try await browser.waitFor(Self.screen)
        for count in 1...3 {
            try await browser.run("document.getElementById('entry').classList.remove('shake')")
            try await browser.typeOnPad("111111")
            try await bench.waitForFailures(count)
            try await browser.waitFor("Incorrect passcode")
            try await browser.waitUntil("the shake") {
                try await browser.run("return document.getElementById('entry').className") == "shake"
            }
            #expect(
                try await browser.run("return '' + document.querySelectorAll('.dots .full').length") == "0"
            )
        }
        try await browser.typeOnPad(WebBench.right)
        try await browser.waitFor(WebBench.content)
    }

    private func tabs(_ browser: Browser, _ address: String) async throws {
        var tabs: [String] = []
        for _ in 0..<11 {
            tabs.append(try await browser.newTab())
            try await browser.go("\(address)/")
            try await browser.waitFor(WebBench.content)
        }
        let began = ContinuousClock.now
        try await browser.lockNow()
        try await browser.waitFor(Self.screen)
        // What the tabs do within this second is the browser's time.
        try await Task.sleep(until: began + .seconds(1))
        for tab in tabs {
            try await browser.switchTo(tab)
            let source = try await browser.source
            #expect(!source.contains(WebBench.content))
        }
    }

    private func scriptless(_ browser: Browser, _ address: String) async throws {
        try await browser.go("\(address)/lock-form")
        try await browser.clickWhenThere("button")
        try await browser.waitFor(Self.screen)
        for (index, digit) in WebBench.right.enumerated() {
            try await browser.waitUntil("\(index) dots") {
                try await browser.run("return '' + document.querySelectorAll('.dots .full').length")
                    == "\(index)"
            }
            try await browser.click("#digit-\(digit)")
        }
        try await browser.waitFor(WebBench.content)
    }
}

@Suite(
    "The lock in Firefox (W-2, W-5)",
    .enabled(if: BrowserKind.firefox.isInstalled, "firefox-esr is not installed"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct FirefoxTests {
    @Test("P-32, W-1, W-2, 1.7: what every browser does", arguments: LockScenario.allCases)
    func scenario(_ scenario: LockScenario) async throws { try await scenario.run(in: .firefox) }
}
#endif
