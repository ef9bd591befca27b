#if os(Linux)
import ExampleSupport
import Glibc
import Testing

/// The app in a terminal with its own server, as a person meets it.
@Suite("RepairDesk", .serialized, .timeLimit(.minutes(10)))
struct RepairDeskTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start() throws -> DeskRun { try DeskRun(home: folder.url) }

    @Test("P-33: in the smallest window every tab can be seen and reached")
    func smallTabs() async throws {
        let server = try ScriptedServer()
        let desk = try DeskRun(home: folder.url, ["--server", server.address], columns: 24, rows: 10)
        try await desk.reachDashboard()
        try await desk.wait(for: "1 Repairs    2    3")
        desk.click("3")
        try await desk.wait(for: "1    2    3 Settings")
        desk.type("2")
        try await desk.wait(for: "1    2 Customers    3")
    }

    @Test("P-35, P-40: from the first login to the reset of a forgotten passcode")
    func firstLoginToReset() async throws {
        do {
            let desk = try start()
            // First login without a passcode shows the set-up, not the dashboard.
            try await desk.logInFirst()
            try await desk.wait(for: "Set up later")
            #expect(!desk.text.contains("Bicycle"))
            try await desk.setPasscode()
            // The overlay covers every tab.
            for (tab, content) in ["Bicycle", "carl: 2 repairs", "Lock Now"].enumerated() {
                desk.type("\(tab + 1)")
                try await desk.wait(for: content)
                desk.focus(false)
                try await desk.wait("the cover") { !$0.contains(content) && !$0.contains("Repairs") }
                desk.focus(true)
                try await desk.wait(for: content)
            }
            try await desk.lock()
            desk.type("111222")
            try await desk.wait(for: "Incorrect passcode")
            #expect(!desk.text.contains("Lock Now"))
            // The desk is killed while it is locked, and is locked when it starts again.
            desk.end(by: SIGKILL)
        }
        let desk = try start()
        try await desk.wait(for: "Enter Passcode")
        #expect(!desk.text.contains("Bicycle"))
        try await desk.resetForgotten(to: "270954")
        // From now on the new passcode opens the lock.
        try await desk.lock()
        desk.type("270954")
        try await desk.wait(for: "Lock Now")
        // After signing out and in there is no offer, because the account has a passcode.
        desk.type("\t\t\r")
        try await desk.wait(for: "Staff Login")
        try await desk.logIn("anna@example.com")
        try await desk.wait("the lock or the dashboard") {
            $0.contains("Enter Passcode") || $0.contains("Bicycle")
        }
        #expect(!desk.text.contains("Create a passcode"))
    }

    @Test("P-36, P-41: \"Set up later\" leads to the dashboard, and is not asked again after a restart")
    func later() async throws {
        do {
            let desk = try start()
            try await desk.logInFirst()
            try await desk.wait(for: "Set up later")
            desk.type("\t\r")
            try await desk.wait(for: "Bicycle")
            desk.end(by: SIGTERM)
        }
        let desk = try start()
        try await desk.wait(for: "Bicycle")
    }

    @Test("P-40: customers go to the portal, accounts that were put aside to quarantine")
    func others() async throws {
        let desk = try start()
        try await desk.wait(for: "I brought something")
        desk.type("\t\r")
        try await desk.wait(for: "Customer Login")
        try await desk.logIn("carl@example.com")
        try await desk.wait(for: "Your Repairs")
        #expect(desk.text.contains("Bicycle") && !desk.text.contains("Radio"))
        desk.type("\t\t\r")
        try await desk.wait(for: "Customer Login")
        desk.type("\u{1B}")
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await desk.wait(for: "Staff Login")
        try await desk.logIn("quinn@example.com")
        try await desk.wait(for: "Your contract has ended.")
    }

    @Test("P-20, P-24: a window out of sight shows nothing, and locks after the timeout")
    func background() async throws {
        let desk = try start()
        try await desk.logInFirst()
        try await desk.wait(for: "Set up later")
        try await desk.setPasscode()
        // The timeout of fifteen minutes has not passed, so no passcode is requested.
        desk.focus(false)
        try await desk.wait("the cover") { !$0.contains("Bicycle") }
        desk.focus(true)
        try await desk.wait(for: "Bicycle")
        // From now on the desk locks at once.
        desk.type("3\r")
        try await desk.wait(for: "Immediately")
        // A choice has no effect while the account is still asked, so the click is repeated.
        try await desk.wait("the choice") { text in
            if !text.contains("◉ Immediately") { desk.click("○ Immediately") }
            return text.contains("◉ Immediately")
        }
        desk.click("Done")
        try await desk.wait(for: "Lock Now")
        desk.focus(false)
        try await desk.wait("the cover") { !$0.contains("Lock Now") }
        desk.focus(true)
        try await desk.wait(for: "Enter Passcode")
        desk.type("493817")
        try await desk.wait(for: "Lock Now")
    }
}
#endif
