#if os(Linux)
import Foundation
import Testing

/// The app in a terminal with its own server, as a person meets it.
@Suite("RepairDesk", .serialized, .timeLimit(.minutes(10)))
struct RepairDeskTests {
    private let home: URL

    init() throws {
        home = FileManager.default.temporaryDirectory.appending(path: "repair-desk-\(UUID())")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }

    private func logIn(_ desk: DeskRun, _ address: String) async throws {
        try await desk.wait(for: "Mail address:")
        desk.type("\(address)\r")
        try await desk.wait(for: "Code:")
        desk.type("\(try await desk.code(to: "sign in"))\r")
    }

    /// Signs Anna in for the first time.
    private func logInFirst(_ desk: DeskRun) async throws {
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await logIn(desk, "anna@example.com")
        try await desk.wait(for: "Set up later")
    }

    private func setPasscode(_ desk: DeskRun) async throws {
        try await desk.wait(for: "Create a passcode")
        desk.type("493817")
        try await desk.wait(for: "Confirm passcode")
        desk.type("493817")
        try await desk.wait(for: "Bicycle")
    }

    private func lock(_ desk: DeskRun) async throws {
        desk.type("3")
        try await desk.wait(for: "Lock Now")
        desk.type("\t\r")
        try await desk.wait(for: "Enter Passcode")
    }

    @Test("P-35, P-40: from the first login to the reset of a forgotten passcode")
    func firstLoginToReset() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        do {
            let desk = try DeskRun(home: home)
            // First login without a passcode shows the set-up, not the dashboard.
            try await logInFirst(desk)
            #expect(!desk.text.contains("Bicycle"))
            try await setPasscode(desk)
            // The overlay covers every tab.
            for (tab, content) in ["Bicycle", "carl: 2 repairs", "Lock Now"].enumerated() {
                desk.type("\(tab + 1)")
                try await desk.wait(for: content)
                desk.focus(false)
                try await desk.wait("the cover") { !$0.contains(content) && !$0.contains("Repairs") }
                desk.focus(true)
                try await desk.wait(for: content)
            }
            try await lock(desk)
            desk.type("111222")
            try await desk.wait(for: "Incorrect passcode")
            #expect(!desk.text.contains("Lock Now"))
            // Killed while locked: locked when it starts again.
            desk.end(by: SIGKILL)
        }
        let desk = try DeskRun(home: home)
        try await desk.wait(for: "Enter Passcode")
        #expect(!desk.text.contains("Bicycle"))
        desk.type("\t\r")
        try await desk.wait(for: "Send Reset Email")
        desk.type("\t\r")
        try await desk.wait(for: "Enter reset code from email")
        desk.type(try await desk.code(to: "reset your passcode"))
        try await desk.wait(for: "Enter new passcode")
        desk.type("270954")
        try await desk.wait(for: "Confirm new passcode")
        desk.type("270954")
        try await desk.wait(for: "Bicycle")
        // The new passcode is the one now.
        try await lock(desk)
        desk.type("270954")
        try await desk.wait(for: "Lock Now")
        // Signed out and in again: no offer, since the account has a passcode.
        desk.type("\t\t\r")
        try await desk.wait(for: "Staff Login")
        try await logIn(desk, "anna@example.com")
        try await desk.wait("the lock or the dashboard") {
            $0.contains("Enter Passcode") || $0.contains("Bicycle")
        }
        #expect(!desk.text.contains("Create a passcode"))
    }

    @Test("P-51: a second device takes the account's passcode, and a change there is the first one's too")
    func twoDevices() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let first = try DeskRun(home: home.appending(path: "1"))
        try await first.wait(for: "I work here")
        let address = try #require(first.text.firstMatch(of: #/http:\/\/[0-9.:]+\d/#)).0
        try await logInFirst(first)
        try await setPasscode(first)

        let second = try DeskRun(home: home.appending(path: "2"), ["--server", String(address)])
        try await second.wait(for: "I work here")
        second.type("\r")
        try await second.wait(for: "Mail address:")
        let seen = try await first.code(to: "sign in")
        second.type("anna@example.com\r")
        try await second.wait(for: "Code:")
        try await first.wait("another mail") { !$0.contains(seen) }
        second.type("\(try await first.code(to: "sign in"))\r")
        // No offer: the account has a passcode, and it opens the lock of this device too.
        try await second.wait(for: "Bicycle")
        try await lock(second)
        second.type("493817")
        try await second.wait(for: "Lock Now")
        second.type("\r")
        try await second.wait("the current passcode's step") { text in
            if text.contains("Change Passcode"), !text.contains("Enter current") {
                second.click("Change Passcode")
            }
            return text.contains("Enter current passcode")
        }
        second.type("493817")
        try await second.wait(for: "Enter new passcode")
        second.type("270954")
        try await second.wait(for: "Confirm new passcode")
        second.type("270954")
        try await second.wait(for: "Require Passcode")

        // Back at the first device, which asks the account when it comes to the front.
        first.focus(false)
        first.focus(true)
        try await first.wait(for: "Bicycle")
        try await lock(first)
        for _ in 0..<3 where !first.text.contains("Lock Now") {
            first.type("270954")
            try await first.wait("an answer") { $0.contains("Lock Now") || $0.contains("Incorrect passcode") }
            guard first.text.contains("Incorrect passcode") else { break }
            first.type("1\u{7F}")
            try await first.wait("another try") { !$0.contains("Incorrect passcode") }
        }
        #expect(first.text.contains("Lock Now"))

        // Without the server the passcode goes on opening the lock.
        first.end(by: SIGKILL)
        second.click("Done")
        try await second.wait(for: "Lock Now")
        try await lock(second)
        second.type("270954")
        try await second.wait(for: "Lock Now")
    }

    @Test("P-36, P-41: \"Set up later\" leads to the dashboard, and is not asked again after a restart")
    func later() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        do {
            let desk = try DeskRun(home: home)
            try await logInFirst(desk)
            desk.type("\t\r")
            try await desk.wait(for: "Bicycle")
            desk.end(by: SIGTERM)
        }
        let desk = try DeskRun(home: home)
        try await desk.wait(for: "Bicycle")
    }

    @Test("P-40: customers go to the portal, accounts that were put aside to quarantine")
    func others() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try DeskRun(home: home)
        try await desk.wait(for: "I brought something")
        desk.type("\t\r")
        try await desk.wait(for: "Customer Login")
        try await logIn(desk, "carl@example.com")
        try await desk.wait(for: "Your Repairs")
        #expect(desk.text.contains("Bicycle") && !desk.text.contains("Radio"))
        desk.type("\t\t\r")
        try await desk.wait(for: "Customer Login")
        desk.type("\u{1B}")
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await desk.wait(for: "Staff Login")
        try await logIn(desk, "quinn@example.com")
        try await desk.wait(for: "Your contract has ended.")
    }

    @Test("P-20, P-24: a window out of sight shows nothing, and locks after the timeout")
    func background() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try DeskRun(home: home)
        try await logInFirst(desk)
        try await setPasscode(desk)
        // Fifteen minutes have not passed: nothing is asked.
        desk.focus(false)
        try await desk.wait("the cover") { !$0.contains("Bicycle") }
        desk.focus(true)
        try await desk.wait(for: "Bicycle")
        // Locked at once from now on.
        desk.type("3\r")
        try await desk.wait(for: "Immediately")
        // A choice that is made while the account is still asked counts for nothing.
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
