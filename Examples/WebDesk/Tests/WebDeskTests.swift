import ExampleSupport
import Foundation
import GoalLock
import HTTPTypes
import HummingbirdTesting
import Passkeys
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("WebDesk (W-4)", .timeLimit(.minutes(5)))
struct WebDeskTests {
    private static let content = "Sewing machine"

    private func run(_ body: (FormBrowser) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let desk = try ExampleProcess("web-desk", ["--port", "0", "--home", folder.path])
        defer { desk.signal(9) }
        try #require(await desk.waits(for: "http://localhost:"))
        let port = try #require(try desk.output.firstMatch(of: /localhost:([0-9]+)/)?.1)
        try await body(FormBrowser("http://127.0.0.1:\(port)"))
        desk.signal(15)
        #expect(await desk.status == 0)
    }

    /// Signs in with the code of the mail that the page shows.
    private func signIn(_ browser: FormBrowser, _ email: String, as role: String = "staff") async throws
        -> FormBrowser.Page
    {
        let asked = try await browser.post("/login/\(role)", ["email": email])
        let mail = try #require(asked.text.firstMatch(of: /Mail to [^:]*:.*?([0-9]{6})/), "\(asked.text)")
        return try await browser.post(
            "/login/\(role)/code",
            ["email": email, "request": try asked.field("request"), "code": String(mail.1)]
        )
    }

    @Test(
        "W-4, P-36: first login, set-up, the repairs; locked no page has a byte of them; a wrong passcode, the right one"
    )
    func flow() async throws {
        try await run { browser in
            #expect(try await browser.get("/").text.contains("Who are you?"))
            let setUp = try await signIn(browser, "anna@example.com")
            #expect(setUp.text.contains("Create a passcode"))
            _ = try await browser.type("834912", on: setUp)
            let confirm = try await browser.wait(for: "Confirm passcode", on: setUp.path)
            _ = try await browser.type("834912", on: confirm)
            // The lock has no effect until the passcode is set, so the request is repeated.
            let end = ContinuousClock.now + .seconds(60)
            while try await browser.post("/_lock/lock", [:]).status != 423 {
                try #require(ContinuousClock.now < end)
                try await Task.sleep(for: .milliseconds(50))
            }
            for path in ["/", "/customers", "/settings", "/_lock/security"] {
                let page = try await browser.get(path)
                #expect(page.status == 423)
                #expect(page.text.contains("Enter Passcode"))
                #expect(!page.text.contains(Self.content) && !page.text.contains("emil"))
            }
            _ = try await browser.type("111111", on: try await browser.get("/"))
            let wrong = try await browser.wait(for: "Incorrect passcode", on: "/")
            _ = try await browser.type("834912", on: wrong)
            #expect(try await browser.wait(for: Self.content, on: "/").status == 200)
        }
    }

    @Test("W-1, W-4, P-36, P-37: without script the set-up leads to the repairs, and Done to the settings")
    func leaving() async throws {
        try await run { browser in
            var page = try await signIn(browser, "anna@example.com")
            page = try await browser.refreshed(try await browser.type("834912", on: page))
            #expect(page.text.contains("Confirm passcode"))
            page = try await browser.refreshed(try await browser.type("834912", on: page))
            #expect(page.path == "/" && page.text.contains(Self.content))
            page = try await browser.refreshed(try await browser.get("/_lock/security?next=/settings"))
            page = try await browser.refreshed(try await browser.activate("ok", on: page))
            #expect(page.path == "/settings")
        }
    }

    @Test(
        "W-4, P-40: a customer sees their own repairs; who was put aside is told why; neither acts for the shop"
    )
    func others() async throws {
        try await run { browser in
            let portal = try await signIn(browser, "carl@example.com", as: "customer")
            #expect(portal.text.contains("Toaster") && !portal.text.contains(Self.content))
            #expect(try await browser.get("/_lock/screen/goal").path == "/")
            #expect(try await browser.post("/repairs/1/advance", [:]).status == 403)
            let aside = try await signIn(browser, "quinn@example.com")
            #expect(aside.text.contains("Your contract has ended") && !aside.text.contains("Toaster"))
            #expect(try await browser.post("/repairs/1/advance", [:]).status == 403)
        }
    }

    @Test("W-3, W-4, P-9: logging out removes the passkeys, also at an address that can have none")
    func passkeysElsewhere() async throws {
        let bench = try DeskBench(isSecure: false)
        let passkeys = PasskeyNames.record(of: try #require(UserID("anna")))
        try await bench.setPasscode()
        try await bench.secrets.write(
            SecretBytes(copying: Array("passkeys".utf8)),
            to: passkeys,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        try await bench.run(at: "127.0.0.1:8080") { visitor in
            try await visitor.lockNow()
            var page = try await visitor.waitForScreen("Enter Passcode")
            try await visitor.post("activate=forgot", from: page)
            page = try await visitor.waitForScreen("you can logout and sign in again")
            try await visitor.post("activate=logout", from: page)
            let isSignedOut = try await BoundedWait.holds { try await visitor.get("/").status == .seeOther }
            #expect(isSignedOut)
            #expect(try await bench.secrets.read(passkeys) == nil)
        }
    }

    @Test("W-4, P-40: who was put aside after the sign-in gets no screen of the goal lock")
    func putAside() async throws {
        let bench = try DeskBench()
        try await bench.run { visitor in
            bench.accounts.putAside()
            // The desk asks the account server at most once a minute.
            await bench.clock.advance(by: .seconds(60))
            let page = try await visitor.get("/_lock/screen/goal")
            #expect(page.status == .seeOther && page.headers[.location] == "/")
        }
    }

    @Test("W-4, P-40, A-21: who is put aside while the passcode is asked for does not loosen the goal lock")
    func putAsideMeanwhile() async throws {
        let bench = try DeskBench()
        try await bench.setPasscode()
        _ = try await bench.goal.enable()
        try await bench.run { visitor in
            _ = try await visitor.get("/_lock/screen/goal")
            var page = try await visitor.waitForScreen("aria-checked=\"true\"")
            try await visitor.post("activate=enable", from: page)
            _ = try await visitor.waitForScreen("Enter current passcode")
            bench.accounts.putAside()
            await bench.clock.advance(by: .seconds(60))
            page = try await visitor.waitForScreen("Enter current passcode")
            let keys = DeskBench.passcode.map { "digit=\($0)" }.joined(separator: "&")
            try await visitor.post(keys, from: page)
            _ = try await visitor.waitForScreen("aria-checked=")
            #expect(try await bench.goal.status().isEnabled)
        }
    }

    @Test(
        "W-4, A-21, A-23: the goal lock is switched on and apps are chosen through its pages; without the passcode it stays on"
    )
    func goal() async throws {
        try await run { browser in
            let address = "/_lock/screen/goal"
            let setUp = try await signIn(browser, "anna@example.com")
            _ = try await browser.type("834912", on: setUp)
            let confirm = try await browser.wait(for: "Confirm passcode", on: setUp.path)
            // The content is shown before the passcode is set, and without one nothing is asked for.
            _ = try await browser.refreshed(try await browser.type("834912", on: confirm))
            _ = try await browser.wait(for: Self.content, on: "/")

            var page = try await browser.wait(for: "Hand Out Repairs to Unlock", on: address)
            _ = try await browser.activate("enable", on: page)
            page = try await browser.wait(for: "Select Apps", on: address)
            _ = try await browser.activate("select", on: page)
            page = try await browser.wait(for: "Solitaire", on: address)
            page = try await browser.activate("app:chess", on: page)
            _ = try await browser.activate("done", on: page)
            page = try await browser.wait(for: "<li><bdi>Chess</bdi></li>", on: address)
            #expect(page.text.contains("aria-checked=\"true\""))

            // Switching it off asks for the passcode.
            _ = try await browser.activate("enable", on: page)
            page = try await browser.wait(for: "Enter current passcode", on: address)
            page = try await browser.activate("cancel", on: page)
            page = try await browser.wait(for: "<li><bdi>Chess</bdi></li>", on: address)
            _ = try await browser.activate("ok", on: page)
            #expect(try await browser.get("/settings").text.contains("App Lock"))
        }
    }
}
