#if os(Linux)
import Testing

/// Steps that a person takes in several tests.
extension DeskRun {
    static let passcode = "493817"

    // MARK: Reading

    /// All words in their order, whatever lines and frames they stand in.
    var words: String {
        text.split { $0.isWhitespace || $0 == "│" }.joined(separator: " ")
    }

    /// Waits until words are to be seen, whatever lines they stand in.
    func wait(forWords words: String) async throws {
        try await wait("the words '\(words)'") { _ in self.words.contains(words) }
    }

    // MARK: Signing in

    /// Signs Anna in at a server that takes any code.
    func logIn() async throws {
        try await wait(for: "Mail address:")
        type("anna@example.com\r")
        try await wait(for: "Code:")
        type("123456\r")
    }

    /// Signs a person in with the code of the next mail.
    ///
    /// - Parameter mails: the desk that shows mails; `nil` for this one.
    func logIn(_ address: String, mails: DeskRun? = nil) async throws {
        let desk = mails ?? self
        try await wait(for: "Mail address:")
        let before = desk.code
        type("\(address)\r")
        try await wait(for: "Code:")
        type("\(try await desk.code(to: "sign in", after: before))\r")
    }

    /// Signs a person of the staff in for the first time on a device.
    func logInFirst(_ address: String = "anna@example.com", mails: DeskRun? = nil) async throws {
        try await wait(for: "I work here")
        type("\r")
        try await logIn(address, mails: mails)
    }

    /// Signs Anna in at a server that takes any code; she sets a passcode.
    func reachDashboardWithPasscode() async throws {
        try await wait(for: "I work here")
        type("\r")
        try await logIn()
        try await setPasscode()
    }

    /// Signs Anna in at a server that takes any code; she wants no passcode.
    func reachDashboard() async throws {
        try await wait(for: "I work here")
        type("\r")
        try await logIn()
        try await wait(for: "Set up later")
        type("\t\r")
        try await wait(for: "Bicycle")
    }

    /// Signs a customer in at a server that takes any code.
    func reachPortal() async throws {
        try await wait(for: "I brought something")
        type("\t\r")
        try await logIn()
        try await wait(for: "Your Repairs")
    }

    /// The window goes out of sight and comes back.
    func lookAway() {
        focus(false)
        focus(true)
    }

    // MARK: The lock

    /// Takes the offer of a passcode.
    func setPasscode() async throws {
        try await wait(for: "Create a passcode")
        type(Self.passcode)
        try await wait(for: "Confirm passcode")
        type(Self.passcode)
        try await wait(for: "Bicycle")
    }

    /// Locks the desk, and waits for the lock screen.
    func lock() async throws {
        type("3")
        try await wait(for: "Lock Now")
        click("[ Lock Now ]")
        try await wait(for: "Enter Passcode")
    }

    /// Enters a passcode until it opens the lock.
    ///
    /// A passcode that was set on another device is wrong until the account was asked.
    func unlock(with passcode: String) async throws {
        for _ in 0..<4 {
            type(passcode)
            try await wait("an answer") { $0.contains("Lock Now") || $0.contains("Incorrect passcode") }
            if text.contains("Lock Now") { return }
            type("1\u{7F}")
            try await wait("another try") { !$0.contains("Incorrect passcode") }
        }
        Issue.record("the passcode opens nothing:\n\(text)")
    }

    /// Sets a new passcode with a code from a mail. The desk is locked before and open afterwards.
    func resetForgotten(to new: String, mails: DeskRun? = nil) async throws {
        let desk = mails ?? self
        let before = desk.code
        type("\t\r")
        try await wait(for: "Send Reset Email")
        type("\t\r")
        try await wait(for: "Enter reset code from email")
        type(try await desk.code(to: "reset your passcode", after: before))
        try await wait(for: "Enter new passcode")
        type(new)
        try await wait(for: "Confirm new passcode")
        type(new)
        try await wait(for: "Repairs")
    }

    /// Opens the security settings from any tab of the dashboard.
    func openSecurity() async throws {
        type("3")
        try await wait(for: "Lock Now")
        click("[ Security ]")
        try await wait(for: "Require Passcode")
    }

    // MARK: Mails

    /// The code of the mail that is shown; `nil` without a mail.
    var code: String? { text.firstMatch(of: #/(\d{6}) is your code/#)?.1.description }

    /// Waits for the next mail, and returns its code.
    ///
    /// - Parameters:
    ///   - purpose: the purpose of the code, as the mail names it.
    ///   - before: the value of ``code`` before the code was requested.
    func code(to purpose: String, after before: String?) async throws -> String {
        try await wait("a mail") { text in
            text.contains("is your code to \(purpose)") && self.code != before
        }
        return try #require(code)
    }
}
#endif
