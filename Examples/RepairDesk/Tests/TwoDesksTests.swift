#if os(Linux)
import ExampleSupport
import Foundation
import FoundationNetworking
import Glibc
import Testing

/// Several devices of one person at once, at one server.
@Suite("Two desks", .serialized, .timeLimit(.minutes(10)))
struct TwoDesksTests {
    private static let other = "270954"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A desk that serves the accounts itself.
    private func serving() async throws -> (desk: DeskRun, address: String) {
        let desk = try DeskRun(home: folder.url.appending(path: "1"))
        try await desk.wait(for: "I work here")
        return (desk, try #require(desk.text.firstMatch(of: #/http:\/\/[0-9.:]+\d/#)?.0.description))
    }

    /// Another device, on which Anna is signed in; the account has a passcode, so none is offered.
    private func joining(_ address: String, _ number: Int, mails: DeskRun) async throws -> DeskRun {
        let desk = try DeskRun(
            home: folder.url.appending(path: "\(number)"),
            ["--server", address]
        )
        try await desk.logInFirst(mails: mails)
        try await desk.wait(for: "Bicycle")
        return desk
    }

    /// Two devices of Anna, who has a passcode; the first serves the accounts and shows the mails.
    private func both() async throws -> (first: DeskRun, second: DeskRun, address: String) {
        let (first, address) = try await serving()
        try await first.logInFirst()
        try await first.setPasscode()
        return (first, try await joining(address, 2, mails: first), address)
    }

    /// How often the server has told the status of a passcode.
    private func statuses(_ address: String) async throws -> Int {
        let url = try #require(URL(string: "\(address)/metrics"))
        let (data, _) = try await URLSession.shared.data(from: url)
        let line = #/route="\/api\/auth\/passcode-status",status="200"} (\d+)/#
        return String(decoding: data, as: UTF8.self).firstMatch(of: line).flatMap { Int($0.1) } ?? 0
    }

    @Test("P-51: a second device takes the account's passcode, and a change there is the first one's too")
    func changed() async throws {
        let (first, second, _) = try await both()
        try await second.lock()
        try await second.unlock(with: DeskRun.passcode)
        try await second.openSecurity()
        try await second.wait("the current passcode's step") { text in
            if text.contains("Change Passcode"), !text.contains("Enter current") {
                second.click("Change Passcode")
            }
            return text.contains("Enter current passcode")
        }
        second.type(DeskRun.passcode)
        try await second.wait(for: "Enter new passcode")
        second.type(Self.other)
        try await second.wait(for: "Confirm new passcode")
        second.type(Self.other)
        try await second.wait(for: "Require Passcode")

        // The first device asks the account when it comes to the front.
        first.lookAway()
        try await first.wait(for: "Bicycle")
        try await first.lock()
        try await first.unlock(with: Self.other)
        try await first.lock()
        first.type(DeskRun.passcode)
        try await first.wait(for: "Incorrect passcode")

        // Without the server the passcode goes on opening the lock.
        first.end(by: SIGKILL)
        second.click("Done")
        try await second.lock()
        try await second.unlock(with: Self.other)
    }

    @Test(
        "P-51, P-52: a reset on one device ends the other's session, and the new passcode is the other's too"
    )
    func reset() async throws {
        let (first, second, _) = try await both()
        try await second.lock()
        try await second.resetForgotten(to: Self.other, mails: first)
        first.lookAway()
        try await first.wait(for: "Staff Login")
        #expect(first.text.contains("Your session has ended. Sign in again."))
        #expect(!first.text.contains("Bicycle"))
        try await first.logIn("anna@example.com")
        try await first.wait(for: "Bicycle")
        try await first.lock()
        try await first.unlock(with: Self.other)
        // The device on which the reset was made is still signed in.
        second.lookAway()
        try await second.lock()
        try await second.unlock(with: Self.other)
    }

    @Test(
        "P-51: a passcode that another device switches off goes on locking what is locked, and nothing else"
    )
    func switchedOff() async throws {
        let (first, second, address) = try await both()
        try await first.lock()
        try await second.openSecurity()
        try await second.wait("the passcode's step") { text in
            if text.contains("Require Passcode") { second.click("Passcode") }
            return text.contains("Enter Passcode") || text.contains("Turn")
        }
        second.type(DeskRun.passcode)
        try await second.wait("no passcode") { $0.contains("Done") && !$0.contains("Change Passcode") }
        second.click("Done")
        try await second.wait(for: "Lock Now")
        second.click("[ Lock Now ]")
        try await second.wait(for: "Set a passcode first")

        let told = try await statuses(address)
        first.lookAway()
        try await first.wait(for: "Enter Passcode")
        while try await statuses(address) == told { try await Task.sleep(for: .milliseconds(20)) }
        first.type("111222")
        try await first.wait(for: "Incorrect passcode")
        first.type("1\u{7F}")
        try await first.wait("another try") { !$0.contains("Incorrect passcode") }
        try await first.unlock(with: DeskRun.passcode)
        // Until the account has answered, the first desk still locks with the old passcode.
        try await first.wait("the account's answer") { text in
            if text.contains("Enter Passcode") {
                first.type(DeskRun.passcode)
            } else if text.contains("Lock Now"), !text.contains("Set a passcode first") {
                first.click("[ Lock Now ]")
            }
            return text.contains("Set a passcode first")
        }
    }

    @Test("P-52: wrong passcodes on two devices that ask the account are one count")
    func oneCount() async throws {
        let (first, address) = try await serving()
        try await first.logInFirst()
        try await first.setPasscode()
        // No passcode was ever confirmed on these devices. So the account checks each passcode.
        let desks = [
            try await joining(address, 2, mails: first), try await joining(address, 3, mails: first),
        ]
        for desk in desks { try await desk.lock() }
        // After the fifth wrong passcode in a row there is a delay.
        for (number, desk) in [desks[0], desks[1], desks[0], desks[1], desks[0]].enumerated() {
            desk.type("11122\(number)")
            try await desk.wait("an answer") {
                $0.contains("Incorrect passcode") || $0.contains("Try again in")
            }
            #expect(desk.text.contains("Try again in") == (number == 4), "try \(number + 1)")
            guard number < 4 else { break }
            desk.type("1\u{7F}")
            try await desk.wait("another try") { !$0.contains("Incorrect passcode") }
        }
        // The other device had only two wrong passcodes, but the right one has to wait there too.
        desks[1].type(DeskRun.passcode)
        try await desks[1].wait(for: "Try again in")
        #expect(!desks[1].text.contains("Lock Now"))
        first.end(by: SIGTERM)
    }

    @Test("P-9: who signs out in one window is signed out in the other windows of the device at once")
    func twoWindows() async throws {
        let server = try ScriptedServer()
        let first = try DeskRun(home: folder.url, ["--server", server.address])
        try await first.reachDashboard()
        let second = try DeskRun(home: folder.url, ["--server", server.address])
        try await second.wait(for: "Bicycle")
        first.type("3")
        try await first.wait(for: "Lock Now")
        first.click("Sign Out")
        try await first.wait(for: "Staff Login")
        // The server would say that the session is open. Only the device tells the second window.
        try await second.wait(for: "Staff Login")
        #expect(second.text.contains("You have signed out in another window."))
        // A new sign-in in one window is not disturbed by the other window.
        try await second.logIn()
        try await second.wait(for: "Bicycle")
    }

    @Test("P-9, P-52: signing out everywhere ends the session here and on the other device")
    func everywhere() async throws {
        let (first, second, _) = try await both()
        second.type("3")
        try await second.wait(for: "Sign Out Everywhere")
        second.click("[ Sign Out Everywhere ]")
        try await second.wait(for: "Sign Out Everywhere?")
        second.type("\t\r")
        try await second.wait(for: "Staff Login")
        first.lookAway()
        try await first.wait(for: "Staff Login")
        #expect(first.text.contains("Your session has ended. Sign in again."))
        #expect(!first.text.contains("Bicycle") && !second.text.contains("Bicycle"))
        first.end(by: SIGTERM)
    }
}
#endif
