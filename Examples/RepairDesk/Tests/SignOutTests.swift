#if os(Linux)
import ExampleSupport
import Glibc
import Testing

/// Signing out, with different answers of the server.
@Suite("Signing out", .serialized, .timeLimit(.minutes(10)))
struct SignOutTests {
    private static let carl = #"{"id": "carl", "role": "customer"}"#
    private let folder: TemporaryFolder
    private let server: ScriptedServer

    init() throws {
        folder = try TemporaryFolder()
        server = try ScriptedServer()
    }

    private func start(columns: Int = 100, rows: Int = 30) throws -> DeskRun {
        try DeskRun(home: folder.url, ["--server", server.address], columns: columns, rows: rows)
    }

    /// A desk at which Carl, a customer, is signed in.
    private func startAsCarl(columns: Int = 100, rows: Int = 30) async throws -> DeskRun {
        server.answer("sign-in", .json(200, #"{"token": "t0ken", "user": \#(Self.carl)}"#))
        server.answer("session", .json(200, Self.carl))
        let desk = try start(columns: columns, rows: rows)
        try await desk.reachPortal()
        return desk
    }

    /// Starts the desk again, and expects this page.
    private func expectSignedOut(_ page: String) async throws {
        let desk = try start()
        try await desk.wait("a page") { $0.contains("Login") || $0.contains("Repairs") }
        #expect(desk.text.contains(page))
    }

    // MARK: On this device

    @Test("P-33: a log-out is over on the device before the server has answered")
    func withoutAnAnswer() async throws {
        server.answer("log-out", .silence)
        do {
            let desk = try await startAsCarl()
            desk.click("[ Sign Out ]")
            try await server.wait(for: "log-out")
            desk.end(by: SIGKILL)
        }
        try await expectSignedOut("Customer Login")
    }

    @Test("P-33: a log-out without a connection is one on the device")
    func offline() async throws {
        do {
            let desk = try await startAsCarl()
            server.stop()
            desk.click("[ Sign Out ]")
            try await desk.wait(for: "Customer Login")
            desk.end(by: SIGTERM)
        }
        try await expectSignedOut("Customer Login")
    }

    // MARK: Everywhere

    /// Asks to sign out everywhere, and says yes.
    private func signOutEverywhere(_ desk: DeskRun) async throws {
        desk.click("[ Sign Out Everywhere ]")
        try await desk.wait(for: "Sign Out Everywhere?")
        desk.type("\t\r")
    }

    @Test("P-9: signing out everywhere asks first, then the server, and only then forgets the person")
    func everywhere() async throws {
        server.answer("log-out-everywhere", .held(204, ""))
        do {
            let desk = try start()
            try await desk.reachDashboardWithPasscode()
            desk.type("3")
            try await desk.wait(for: "Sign Out Everywhere")
            desk.click("[ Sign Out Everywhere ]")
            try await desk.wait(forWords: "Your passcode will be removed")
            desk.type("\r")
            try await desk.wait(for: "Lock Now")
            #expect(server.count("log-out-everywhere") == 0)
            try await signOutEverywhere(desk)
            try await server.wait(for: "log-out-everywhere")
            // The process may end now. The server has not answered, so the session is kept for another try.
            desk.end(by: SIGKILL)
        }
        server.answer("log-out-everywhere", .json(204, ""))
        do {
            let desk = try start()
            try await desk.wait(for: "Bicycle")
            desk.type("3")
            try await desk.wait(for: "Sign Out Everywhere")
            try await signOutEverywhere(desk)
            try await desk.wait(for: "Staff Login")
            // At its end the desk tells the server of sessions that ended here. The server already knows of
            // this one.
            desk.end(by: SIGTERM)
            #expect(server.count("log-out") == 0)
        }
        try await expectSignedOut("Staff Login")
        // The passcode was removed, so a sign-in meets no lock. There is no offer, because one was made
        // before (P-41).
        let desk = try start()
        try await desk.logIn()
        try await desk.wait("a page") { $0.contains("Bicycle") || $0.contains("Enter Passcode") }
        try await lockNow(desk)
    }

    private func lockNow(_ desk: DeskRun) async throws {
        desk.type("3")
        try await desk.wait(for: "Lock Now")
        desk.click("[ Lock Now ]")
        try await desk.wait(for: "Set a passcode first")
    }

    @Test("P-51: without a connection no device is signed out, and the screen says so")
    func everywhereOffline() async throws {
        do {
            let desk = try await startAsCarl()
            server.stop()
            try await signOutEverywhere(desk)
            try await desk.wait(forWords: "You are still signed in everywhere.")
            #expect(desk.words.contains("The server cannot be reached."))
            desk.click("Cancel")
            try await desk.wait(for: "Your Repairs")
            desk.end(by: SIGTERM)
        }
        try await expectSignedOut("Your Repairs")
    }

    @Test("P-51: where the answer is lost, the session tells whether it was carried out")
    func everywhereWithoutAnAnswer() async throws {
        let desk = try await startAsCarl()
        server.answer("log-out-everywhere", .json(500, "{}"))
        try await signOutEverywhere(desk)
        try await desk.wait(forWords: "Your other devices may be signed out, or not.")
        server.answer("session", .json(401, "{}"))
        desk.type("\t\r")
        try await desk.wait(for: "Customer Login")
        #expect(!desk.text.contains("had ended before"))
    }

    @Test("P-51: a session that had ended before cannot end the others, and the login says so")
    func everywhereAfterTheEnd() async throws {
        let desk = try await startAsCarl()
        server.answer("log-out-everywhere", .json(401, "{}"))
        try await signOutEverywhere(desk)
        try await desk.wait(for: "Customer Login")
        try await desk.wait(forWords: "Sign in again to sign out your other devices.")
    }

    @Test("P-33: the question can be read and answered in the smallest window")
    func everywhereSmall() async throws {
        let desk = try await startAsCarl(columns: 24, rows: 10)
        desk.type("\t\t\t")
        try await desk.wait(for: "[ Sign Out Everywhere ]")
        desk.type("\r")
        try await desk.wait(forWords: "Sign Out Everywhere?")
        #expect(desk.words.contains("You will need to sign in again on every device."))
        #expect(desk.words.contains("Cancel Sign Out "))
        desk.type("\t\r")
        try await desk.wait(for: "Customer Login")
    }
}
#endif
