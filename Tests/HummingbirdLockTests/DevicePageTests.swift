#if HummingbirdLock
import FakeBiometrics
import HummingbirdLock
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing
import WebBrowser

@Suite(
    "Further scenarios of a device, in a browser (SPEC 1.7, W-5)",
    .enabled(if: BrowserKind.chromium.isInstalled, "chromium and chromedriver are not installed"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct DevicePageTests {
    private let bench = WebBench { $0.isSecure = false }
    private static let screen = "Enter Passcode"

    @Test(
        "P-2, P-8, 1.7: an easily guessed passcode that is used anyway is set, and only a sealed key is stored"
    )
    func easilyGuessed() async throws {
        try await bench.visit(hasPasscode: false) { [bench] browser, address in
            try await browser.go("\(address)/_lock/setup")
            try await browser.typeOnPad("123456")
            try await browser.waitFor("easily guessed")
            try await browser.clickWhenThere("#control-use")
            try await browser.waitFor("Confirm passcode")
            try await browser.typeOnPad("123456")
            try await browser.waitFor(WebBench.content)
            #expect(try await bench.service().verify(SecretBytes(copying: "123456".utf8)).isRight)
            let record = try #require(
                try await InMemorySecretStore(bench.storage).read(PasscodeNames.record(of: UserID("ada")!))
            )
            let bytes = record.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            #expect(bytes.firstRange(of: Array("123456".utf8)) == nil)
        }
    }

    @Test(
        "P-1, P-3, P-37, 1.7: switched off in the settings, nothing of the passcode is left, and nothing locks"
    )
    func removed() async throws {
        try await bench.visit { [bench] browser, address in
            try await browser.go("\(address)/_lock/security")
            try await browser.clickWhenThere("#control-passcode")
            try await browser.waitFor("Enter your passcode to turn it off")
            try await browser.typeOnPad("111111")
            try await browser.waitFor("Incorrect passcode")
            try await browser.typeOnPad(WebBench.right)
            try await browser.waitUntil("the switch is off") {
                try await browser.run(
                    "const s = document.getElementById('control-passcode'); return s && s.getAttribute('aria-checked')"
                ) == "false"
            }
            let store = InMemorySecretStore(bench.storage)
            #expect(try await store.read(PasscodeNames.record(of: UserID("ada")!)) == nil)
            try await browser.go("\(address)/")
            try await browser.waitFor(WebBench.content)
            try await browser.lockNow()
            try await browser.reload()
            #expect(try await browser.text.contains(WebBench.content))
        }
    }

    @Test("P-30, 1.7: each digit of the pad reaches the model and fills a dot, delete empties it")
    func digits() async throws {
        try await bench.visit { browser, _ in
            try await browser.lockNow()
            try await browser.waitFor(Self.screen)
            for digit in 0...9 {
                try await browser.clickWhenThere("#digit-\(digit)")
                // The model says so, not the script.
                try await browser.waitUntil("digit \(digit)") {
                    try await browser.typed == "1 of 6 digits entered"
                }
                try await browser.click("#delete")
                try await browser.waitUntil("no digit") { try await browser.typed == "0 of 6 digits entered" }
            }
        }
    }

    @Test(
        "P-22, 1.7: a tab that was closed while unlocked opens unlocked again; one closed while locked, locked"
    )
    func relaunched() async throws {
        try await bench.visit { browser, address in
            for isLocked in [false, true] {
                if isLocked {
                    try await browser.lockNow()
                    try await browser.waitFor(Self.screen)
                }
                let old = try await browser.newTab()
                let new = try await browser.tab
                try await browser.switchTo(old)
                try await browser.closeTab()
                try await browser.switchTo(new)
                try await browser.go("\(address)/")
                try await browser.waitFor(isLocked ? Self.screen : WebBench.content)
                #expect(try await browser.source.contains(WebBench.content) == !isLocked)
            }
        }
    }

    @Test(
        "P-22, W-2, 1.7: after the server was started anew neither an open nor a locked session shows anything; a sign-in begins a new one",
        arguments: [false, true]
    )
    func serverStartedAnew(isLocked: Bool) async throws {
        try await bench.setPasscode()
        try await Browser.open { [bench] browser in
            try await bench.serve { address in
                try await browser.signIn(address)
                guard isLocked else { return }
                try await browser.lockNow()
                try await browser.waitFor(Self.screen)
            }
            try await bench.relaunched.serve { address in
                try await browser.go("\(address)/")
                try await browser.waitFor("Sign in")
                #expect(try await !browser.source.contains(WebBench.content))
                try await browser.signIn(address)
            }
        }
    }

    @Test(
        "P-10, P-11, P-32, 1.7: biometrics of each kind by their name: enabled, kept over a new sign-in, asked for when locked",
        arguments: [BiometricKind.touchID, .faceID]
    )
    func biometrics(kind: BiometricKind) async throws {
        var bench = bench
        let biometrics = FakeBiometrics(kind: kind, clock: bench.clock)
        bench.biometrics = biometrics
        try await bench.visit { browser, address in
            try await browser.go("\(address)/_lock/security")
            try await browser.waitFor(kind.displayName)
            try await browser.clickWhenThere("#control-biometrics")
            try await browser.waitFor("Enter current passcode")
            try await browser.typeOnPad(WebBench.right)
            try await browser.waitUntil("the switch is on") {
                try await browser.run(
                    "const s = document.getElementById('control-biometrics'); return s && s.getAttribute('aria-checked')"
                ) == "true"
            }
            try await browser.signIn(address)
            try await browser.lockNow()
            try await browser.waitFor(kind.displayName)
            try await browser.waitUntil("a prompt by itself") { biometrics.isPrompting }
            #expect(try await !browser.source.contains(WebBench.content))
            biometrics.answer(.success)
            try await browser.waitFor(WebBench.content)
        }
    }
}

extension Browser {
    /// What a screen reader is told of the dots.
    fileprivate var typed: String {
        get async throws { try await run("return document.getElementById('typed').textContent") }
    }
}
#endif
