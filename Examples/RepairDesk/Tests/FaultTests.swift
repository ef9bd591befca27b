#if os(Linux)
import Foundation
import Testing

/// What a server does to a desk that a person is using.
@Suite("RepairDesk and its server", .serialized, .timeLimit(.minutes(10)))
struct FaultTests {
    private let home: URL
    private let server: ScriptedServer

    init() throws {
        home = FileManager.default.temporaryDirectory.appending(path: "repair-desk-\(UUID())")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        server = try ScriptedServer()
    }

    private func start(columns: Int = 100, rows: Int = 30) throws -> DeskRun {
        try DeskRun(home: home, ["--server", server.address], columns: columns, rows: rows)
    }

    private func logIn(_ desk: DeskRun) async throws {
        try await desk.wait(for: "Mail address:")
        desk.type("anna@example.com\r")
        try await desk.wait(for: "Code:")
        desk.type("123456\r")
    }

    /// Signs Anna in, who wants no passcode.
    private func reachDashboard(_ desk: DeskRun) async throws {
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await logIn(desk)
        try await desk.wait(for: "Set up later")
        desk.type("\t\r")
        try await desk.wait(for: "Bicycle")
    }

    @Test("P-40: a session that ended elsewhere leads to the login when the desk comes to the front")
    func endedElsewhere() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try start()
        try await reachDashboard(desk)
        server.answer("session", .json(401, "{}"))
        desk.focus(false)
        desk.focus(true)
        try await desk.wait(for: "Staff Login")
        #expect(desk.text.contains("Your session has ended. Sign in again."))
    }

    @Test("P-40: a session that ended elsewhere leaves no lock of the signed-out person over the login")
    func endedWhileLocked() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try start()
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await logIn(desk)
        try await desk.wait(for: "Create a passcode")
        desk.type("493817")
        try await desk.wait(for: "Confirm passcode")
        desk.type("493817")
        try await desk.wait(for: "Bicycle")
        desk.type("3")
        try await desk.wait(for: "Lock Now")
        desk.type("\t\r")
        try await desk.wait(for: "Enter Passcode")
        server.answer("session", .json(401, "{}"))
        desk.focus(false)
        desk.focus(true)
        try await desk.wait(for: "Staff Login")
        // A person who signs in again meets the lock again.
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff"}"#))
        try await logIn(desk)
        try await desk.wait(for: "Enter Passcode")
        #expect(!desk.text.contains("Bicycle"))
    }

    @Test("P-40: an account that is put aside while the desk runs goes to quarantine, and comes back")
    func quarantinedMeanwhile() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        do {
            let desk = try start()
            try await reachDashboard(desk)
            let put = #"{"id": "anna", "role": "staff", "quarantine": "Ask \u001b[31m\u202eDora."}"#
            server.answer("session", .json(200, put))
            desk.focus(false)
            desk.focus(true)
            try await desk.wait(for: "Your account was put aside")
            // What would steer the terminal or turn the text around is shown as the replacement character.
            #expect(desk.text.contains("Ask \u{FFFD}[31m\u{FFFD}Dora."))
            desk.end(by: SIGTERM)
        }
        // Offline it is still known.
        server.answer("session", .silence)
        let desk = try start()
        try await desk.wait(for: "Your account was put aside")
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff"}"#))
        desk.focus(false)
        desk.focus(true)
        try await desk.wait(for: "Bicycle")
    }

    @Test("P-33: a log-out is over on the device before the server has answered")
    func logOutWithoutAnAnswer() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        server.answer(
            "sign-in",
            .json(200, #"{"token": "t0ken", "user": {"id": "carl", "role": "customer"}}"#)
        )
        server.answer("log-out", .silence)
        do {
            let desk = try start()
            try await desk.wait(for: "I brought something")
            desk.type("\t\r")
            try await logIn(desk)
            try await desk.wait(for: "Your Repairs")
            desk.click("Sign Out")
            try await server.wait(for: "log-out")
            desk.end(by: SIGKILL)
        }
        let desk = try start()
        try await desk.wait("a page") { $0.contains("Customer Login") || $0.contains("Your Repairs") }
        #expect(!desk.text.contains("Your Repairs"))
    }

    @Test("P-33: a log-out without a connection is one on the device")
    func logOutOffline() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        server.answer(
            "sign-in",
            .json(200, #"{"token": "t0ken", "user": {"id": "carl", "role": "customer"}}"#)
        )
        do {
            let desk = try start()
            try await desk.wait(for: "I brought something")
            desk.type("\t\r")
            try await logIn(desk)
            try await desk.wait(for: "Your Repairs")
            server.stop()
            desk.click("Sign Out")
            try await desk.wait(for: "Customer Login")
            desk.end(by: SIGTERM)
        }
        let desk = try start()
        try await desk.wait(for: "Customer Login")
    }

    @Test("P-51: a server that is gone at the first login is told of, and the login stays")
    func goneAtLogin() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try start()
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await desk.wait(for: "Mail address:")
        server.stop()
        desk.type("anna@example.com\r")
        try await desk.wait(for: "The server cannot be reached.")
        #expect(desk.text.contains("Staff Login"))
    }

    @Test("P-40: what the server says late of one person is not taken for the next one")
    func lateAnswer() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try start()
        try await reachDashboard(desk)
        server.answer("session", .held(200, #"{"id": "anna", "role": "staff", "quarantine": "Away."}"#))
        desk.focus(false)
        desk.focus(true)
        try await server.wait(for: "session")
        try await desk.wait(for: "Bicycle")
        desk.type("3")
        try await desk.wait(for: "Lock Now")
        desk.click("Sign Out")
        try await desk.wait(for: "Staff Login")
        server.answer(
            "sign-in",
            .json(200, #"{"token": "0ther", "user": {"id": "carl", "role": "customer"}}"#)
        )
        server.answer("session", .json(200, #"{"id": "carl", "role": "customer"}"#))
        try await logIn(desk)
        try await desk.wait(for: "Your Repairs")
        server.release()
        // The answer to a later question shows that the late one has been read.
        desk.focus(false)
        desk.focus(true)
        try await server.wait(for: "session", count: 2)
        try await desk.wait(for: "Your Repairs")
        #expect(!desk.text.contains("put aside"))
    }

    @Test("P-9: what one server told is not sent to another")
    func servers() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        do {
            let desk = try start()
            try await reachDashboard(desk)
            desk.end(by: SIGTERM)
        }
        let other = try ScriptedServer()
        let desk = try DeskRun(home: home, ["--server", other.address])
        try await desk.wait(for: "I work here")
        #expect(other.count("session") == 0 && other.count("passcode-status") == 0)
    }

    @Test("P-50: a sign-in is not carried on to another server")
    func redirected() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let other = try ScriptedServer()
        server.answer("sign-in", .elsewhere("\(other.address)/api/auth/sign-in"))
        let desk = try start()
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await logIn(desk)
        try await desk.wait(for: "The server answered 307.")
        #expect(other.count("sign-in") == 0)
    }

    @Test("P-40: every word and button can be reached in a small window")
    func small() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try start(columns: 40, rows: 12)
        try await reachDashboard(desk)
        desk.type(String(repeating: "\t", count: 3))
        try await desk.wait(for: "Sewing machine")
        let long = "Your contract has ended, and the keys to the workshop are still with you. Bring them."
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff", "quarantine": "\#(long)"}"#))
        desk.focus(false)
        desk.focus(true)
        try await desk.wait(for: "put aside")
        let words = desk.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(long))
        #expect(words.contains("Sign Out"))
    }

    @Test("P-20: stopped from outside, it gives the terminal back, and takes it again when it goes on")
    func stopped() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try start()
        try await reachDashboard(desk)
        for _ in 0..<2 {
            desk.send(SIGTSTP)
            try await desk.wait("an empty terminal") { $0.allSatisfy(\.isWhitespace) }
            desk.send(SIGCONT)
            try await desk.wait(for: "Bicycle")
        }
    }

    @Test("P-30: without Unicode, no page or screen writes a character beyond ASCII")
    func plain() async throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let desk = try DeskRun(home: home, ["--server", server.address], locale: "C")
        try await reachDashboard(desk)
        desk.type("3\r")
        try await desk.wait(for: "Done")
        #expect(desk.isASCII)
    }
}
#endif
